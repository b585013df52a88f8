#include "apiserver/front/http/resource_front.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/running_api.h"
#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/patience.h"

namespace proa::apiserver {
namespace resource_front_test {

using testkit::Http2Client;
using testkit::RunningApi;

constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";

std::string config_map(const std::string& name, size_t size = 1) {
  return R"({"metadata":{"name":")" + name + R"("},"data":{"text":")" + std::string(size, 'x') +
         "\"}}";
}

// Randomness for which requests wait while the gate is closed: creations need a uid.
class GateRandom final : public Random {
 public:
  void fill(std::span<unsigned char> out) override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      while (closed_) changed_.wait(mutex_);
      --waiting_;
    }
    random_.fill(out);
  }
  void set_closed(bool closed) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = closed;
    changed_.notify_all();
  }
  // Waits until that many requests wait; false on timeout.
  bool wait_for(int count) EXCLUDES(mutex_) {
    const auto deadline = std::chrono::steady_clock::now() + testkit::kTestTimeout;
    MutexLock lock(mutex_);
    while (waiting_ < count) {
      if (!changed_.wait_until(mutex_, deadline)) return false;
    }
    return true;
  }

 private:
  SeededRandom random_{1};
  Mutex mutex_;
  CondVar changed_;
  bool closed_ GUARDED_BY(mutex_) = false;
  int waiting_ GUARDED_BY(mutex_) = 0;
};

// An API server, and Jane, who may do everything but is not exempt from limits.
class ResourceFrontTest : public testing::Test {
 protected:
  void start(const InFlightLimits& in_flight, const http::ServerLimits& limits = {},
             bool fairness = true) {
    api_.emplace(RunningApi::Options{
        .in_flight = in_flight, .fairness = fairness, .http = limits, .random = &gate_});
    jane_key_ = api_->client_certificate("jane", "developers");
    master_key_ = api_->client_certificate("master", "system:masters");
    node_key_ = api_->client_certificate("system:node:n1", "system:nodes");
    api_->allow_everything_to("developers");
  }
  std::unique_ptr<Http2Client> connect(const crypto::CertifiedKey& as) const {
    return std::make_unique<Http2Client>(api_->port(), as);
  }
  static http::StreamId post(Http2Client& client, const std::string& path,
                             const std::string& body) {
    const http::StreamId stream =
        client.ask("POST", path, false, {{"content-type", "application/json"}});
    client.send(stream, body);
    client.end(stream);
    return stream;
  }
  void TearDown() override { gate_.set_closed(false); }

  GateRandom gate_;
  std::optional<RunningApi> api_;
  crypto::CertifiedKey jane_key_;
  crypto::CertifiedKey master_key_;
  crypto::CertifiedKey node_key_;
};

// More writes than a pool of usual size has threads: all of them hang, as they do in a webhook.
TEST_F(ResourceFrontTest, HeartbeatsHaveAThreadWhileOthersHang) {
  start({.read_only = 8000, .mutating = 4000});
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  const auto node = connect(node_key_);
  const http::StreamId made =
      post(*node, leases, R"({"metadata":{"name":"n1"},"spec":{"holderIdentity":"n1"}})");
  ASSERT_EQ(node->wait(made).status, 201);
  gate_.set_closed(true);
  std::vector<std::unique_ptr<Http2Client>> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(connect(jane_key_));
  for (size_t i = 0; i < 300; ++i)
    post(*clients[i % clients.size()], kMaps, config_map("m" + std::to_string(i)));
  for (const auto& client : clients) client->flush();
  EXPECT_TRUE(gate_.wait_for(300));
  const http::StreamId beat =
      node->ask("PATCH", leases + "/n1", false, {{"content-type", "application/merge-patch+json"}});
  node->send(beat, std::string(R"({"spec":{"leaseDurationSeconds":40}})"));
  node->end(beat);
  EXPECT_EQ(node->wait(beat).status, 200);
  const auto master = connect(master_key_);
  EXPECT_EQ(master->wait(master->ask("DELETE", std::string(kMaps) + "/none")).status, 404);
  gate_.set_closed(false);
}

TEST_F(ResourceFrontTest, LimitsWritesInFlightAsUpstream) {
  start({.read_only = 400, .mutating = 2}, {}, /*fairness=*/false);
  gate_.set_closed(true);
  const auto jane = connect(jane_key_);
  const http::StreamId first = post(*jane, kMaps, config_map("a"));
  const http::StreamId second = post(*jane, kMaps, config_map("b"));
  ASSERT_TRUE(gate_.wait_for(2));
  // Before its body arrives.
  const http::StreamId third = jane->ask("POST", kMaps, false);
  const auto& refused = jane->wait(third);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.body, "Too many requests, please try again later.\n");
  EXPECT_EQ(refused.headers.get("retry-after"), "1");
  EXPECT_EQ(refused.headers.get("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(refused.headers.get("x-content-type-options"), "nosniff");
  EXPECT_EQ(jane->wait(jane->ask("GET", kMaps)).status, 200);
  // Masters and heartbeats are exempt.
  const auto master = connect(master_key_);
  const http::StreamId exempt = post(*master, kMaps, config_map("c"));
  ASSERT_TRUE(gate_.wait_for(3));
  const auto node = connect(node_key_);
  const http::StreamId beat =
      post(*node, "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases",
           R"({"metadata":{"name":"n1"},"spec":{"holderIdentity":"n1"}})");
  ASSERT_TRUE(gate_.wait_for(4));
  gate_.set_closed(false);
  EXPECT_EQ(jane->wait(first).status, 201);
  EXPECT_EQ(jane->wait(second).status, 201);
  EXPECT_EQ(master->wait(exempt).status, 201);
  EXPECT_EQ(node->wait(beat).status, 201);
  EXPECT_EQ(jane->wait(post(*jane, kMaps, config_map("d"))).status, 201);
  const std::string metrics = api_->ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find(R"(apiserver_request_terminations_total{verb="POST",group="",)"
                         R"(version="v1",resource="configmaps",subresource="",)"
                         R"(scope="resource",component="apiserver",code="429"} 1)"),
            std::string::npos)
      << metrics.substr(0, 4000);
}

TEST_F(ResourceFrontTest, UploadsDoNotKeepThePlaceOfTheirAuthorization) {
  start({.deciding = 2});
  const auto jane = connect(jane_key_);
  // Impersonation is decided on the pool. At most two requests are, at the same time.
  const http::Headers as_joe = {{"impersonate-user", "joe"}, {"impersonate-group", "developers"}};
  std::vector<http::StreamId> uploads;
  for (int i = 0; i < 3; ++i) {
    uploads.push_back(jane->ask("POST", kMaps, false, as_joe));
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(5), [&] {
      return jane->wait(jane->ask("GET", kMaps, true, as_joe)).status == 200;
    }));
  }
  for (size_t i = 0; i < uploads.size(); ++i) {
    jane->send(uploads[i], config_map("upload-" + std::to_string(i)));
    jane->end(uploads[i]);
    EXPECT_EQ(jane->wait(uploads[i]).status, 201);
  }
}

TEST_F(ResourceFrontTest, DropsTheWorkOfClientsThatHaveGone) {
  start({});
  gate_.set_closed(true);
  const size_t before = api_->server().connections();
  auto jane = connect(jane_key_);
  post(*jane, kMaps, config_map("of-a-connection"));
  ASSERT_TRUE(gate_.wait_for(1));
  jane.reset();
  while (api_->server().connections() > before) api_->ask("GET", "/livez");
  jane = connect(jane_key_);
  const http::StreamId stream = post(*jane, kMaps, config_map("of-a-stream"));
  ASSERT_TRUE(gate_.wait_for(2));
  jane->reset(stream);
  EXPECT_EQ(jane->wait(jane->ask("GET", "/livez")).status, 200);
  gate_.set_closed(false);
  EXPECT_EQ(api_->ask("POST", kMaps, config_map("last")).code, 201);
  EXPECT_EQ(api_->ask("GET", std::string(kMaps) + "/of-a-connection").code, 404);
  EXPECT_EQ(api_->ask("GET", std::string(kMaps) + "/of-a-stream").code, 404);
}

TEST_F(ResourceFrontTest, BoundsTheBodiesOfAUser) {
  http::ServerLimits limits;
  limits.bodies.total = 64 << 20;
  limits.bodies.per_payer = 8 << 20;
  limits.bodies.waiting = 1;
  start({}, limits);
  std::vector<std::unique_ptr<Http2Client>> clients;
  constexpr size_t kSize = 2'900'000;
  const auto begin = [&](const crypto::CertifiedKey& as) {
    clients.push_back(connect(as));
    return clients.back()->ask("POST", kMaps, false, {{"content-length", std::to_string(kSize)}});
  };
  for (int i = 0; i < 3; ++i) {
    begin(jane_key_);
    clients.back()->ping();
    ASSERT_TRUE(clients.back()->read());
  }
  const http::StreamId fourth = begin(jane_key_);
  EXPECT_EQ(clients.back()->wait(fourth).status, 429);
  // Another user has a budget of its own.
  const http::StreamId large = begin(master_key_);
  clients.back()->send(large, std::string(kSize, ' '));
  clients.back()->end(large);
  EXPECT_EQ(clients.back()->wait(large).status, 400);
}

class WatchersTest : public ResourceFrontTest {
 protected:
  // Watchers that do not read, and one that does.
  void watch(const http::Headers& headers, const std::string& query) {
    http::Http2Limits closed;
    closed.stream_window = 1000;
    for (int i = 0; i < 40; ++i) {
      if (i % 10 == 0) {
        slow_.push_back(std::make_unique<Http2Client>(api_->port(), jane_key_, closed));
      }
      const http::StreamId stream =
          slow_.back()->ask("GET", std::string(kMaps) + "?watch=true" + query, true, headers);
      slow_.back()->hold(stream);
    }
    fast_ = connect(jane_key_);
    reading_ = fast_->ask("GET", std::string(kMaps) + "?watch=true" + query, true, headers);
    while (fast_->answer(reading_).status == 0) ASSERT_TRUE(fast_->read());
  }
  // Creates large objects until one after the other was read.
  void create(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string name = "large-" + std::to_string(i);
      ASSERT_EQ(api_->ask("POST", kMaps, config_map(name, 900'000)).code, 201);
      auto& answer = fast_->answer(reading_);
      while (answer.body.find(name) == std::string::npos) {
        ASSERT_FALSE(answer.closed);
        ASSERT_TRUE(fast_->read());
      }
      answer.body.clear();
    }
  }
  int ended() {
    int count = 0;
    for (const auto& client : slow_) {
      client->ping();
      EXPECT_TRUE(client->read());
      for (http::StreamId stream = 1; stream < 20; stream += 2) {
        if (client->answer(stream).closed) ++count;
      }
    }
    return count;
  }

  std::vector<std::unique_ptr<Http2Client>> slow_;
  std::unique_ptr<Http2Client> fast_;
  http::StreamId reading_ = 0;
};

TEST_F(WatchersTest, ShareTheEventsThatTheyDoNotRead) {
  http::ServerLimits limits;
  limits.unsent_total = 8 << 20;
  start({}, limits);
  watch({}, "");
  create(3);
  EXPECT_EQ(ended(), 0);
}

TEST_F(WatchersTest, AreEndedWhenTheirEventsTakeTooMuchMemory) {
  http::ServerLimits limits;
  limits.unsent_total = 8 << 20;
  start({}, limits);
  // Tables are made for each watcher.
  watch({{"accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}}, "&includeObject=Object");
  create(3);
  while (ended() < 32) continue;
  EXPECT_LE(ended(), 40);
}

// So many that the list is not made by the loop, nor read at once.
TEST_F(ResourceFrontTest, WatchesOfManyObjectsBeginWithAllOfThem) {
  start({});
  store::Txn txn;
  for (int i = 1000; i < 3000; ++i) {
    const std::string name = "m" + std::to_string(i);
    const std::string labels = i == 2999 ? R"(,"labels":{"app":"web"})" : "";
    txn.operations.push_back(
        store::Put{.key = "/registry/configmaps/default/" + name,
                   .value = Bytes(R"({"metadata":{"name":")" + name + "\"" + labels + "}}")});
  }
  ASSERT_TRUE(api_->store().commit(std::move(txn), store::Durability::kSynced).ok());
  const auto jane = connect(jane_key_);
  const std::string watch = std::string(kMaps) +
                            "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&"
                            "resourceVersionMatch=NotOlderThan";
  const std::pair<const char*, int> cases[] = {{"", 2000}, {"&labelSelector=app%3Dweb", 1}};
  for (const auto& [query, count] : cases) {
    SCOPED_TRACE(query);
    const http::StreamId stream = jane->ask("GET", watch + query);
    const auto& answer = jane->answer(stream);
    while (answer.body.find("initial-events-end") == std::string::npos) ASSERT_TRUE(jane->read());
    int added = 0;
    for (size_t at = 0; (at = answer.body.find(R"("type":"ADDED")", at)) != std::string::npos; ++at)
      ++added;
    EXPECT_EQ(added, count);
  }
}

}  // namespace resource_front_test
}  // namespace proa::apiserver
