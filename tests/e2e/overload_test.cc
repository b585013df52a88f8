// Hostile clients against the program with 1,024 descriptors and 256 MB of memory, and an honest
// client that must not notice.
#include <gtest/gtest.h>
#include <poll.h>

#include <deque>
#include <iostream>
#include <thread>

#include "admin.h"
#include "base/process/capacity.h"
#include "confined.h"
#include "server.h"
#include "testkit/http/http2_client.h"
#include "testkit/load.h"

namespace proa::e2e {
namespace {

using testkit::Http2Client;
using testkit::RawClient;

constexpr size_t kMega = 1024 * 1024;
constexpr size_t kMemory = 256 * kMega;
// What may be left after an attack.
constexpr size_t kKept = 20 * kMega;

const http::Headers kHostile{{"authorization", "Bearer hostile"},
                             {"content-type", "application/json"}};

std::string large_map(const std::string& name, size_t size, char fill) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"("},"data":{"text":")" + std::string(size, fill) + "\"}}";
}

// A user who writes, reads and connects all the time, and measures how long that takes.
class Honest {
 public:
  // `tries`: of a request whose connection is cut off before there is a response.
  Honest(const std::string& data_dir, int port, int tries)
      : origin_{.tls = true, .host = "127.0.0.1", .port = port}, tries_(tries) {
    std::ifstream file(data_dir + "/tls/authority.crt");
    options_.pool.tls =
        http::TlsContext::client({.roots_pem = {std::istreambuf_iterator<char>(file), {}}}).value();
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  // REQUIRES: called once.
  void finish() {
    thread_.request_stop();
    thread_.join();
  }
  // Of all requests, and of those on a connection that is kept and on new ones. REQUIRES: finished.
  const testkit::Latencies& all() const { return all_; }
  const testkit::Latencies& kept() const { return kept_; }
  const testkit::Latencies& fresh() const { return fresh_; }
  // The first few. REQUIRES: finished.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void run(const std::stop_token& stop) {
    http::Client kept(loops_, clock_, options_);
    for (int i = 0; !stop.stop_requested(); ++i) {
      const std::string name = "honest-" + std::to_string(i);
      kept_.add(ask(kept, "POST", kMaps, config_map(name, i), 201));
      kept_.add(ask(kept, "GET", kMaps + ("/" + name), "", 200));
      kept_.add(ask(kept, "DELETE", kMaps + ("/" + name), "", 200));
      http::Client fresh(loops_, clock_, options_);
      fresh_.add(ask(fresh, "GET", "/api/v1/namespaces/default", "", 200));
      std::this_thread::sleep_for(5ms);  // its rate
    }
  }

  // Returns how long it took.
  Duration ask(http::Client& client, const char* method, const std::string& target,
               const std::string& body, int expected) {
    http::ClientRequest request;
    request.origin = origin_;
    request.method = method;
    request.target = target;
    request.body = Bytes::copy_of(body);
    request.headers.add("authorization", "Bearer honest");
    if (!body.empty()) request.headers.add("content-type", "application/json");
    const Steady begin = clock_.steady();
    auto response = client.send(request, Until::after(clock_, 10s));
    for (int i = 1; i < tries_ && !response.ok(); ++i) {
      response = client.send(request, Until::after(clock_, 10s));
    }
    const Duration took = clock_.steady() - begin;
    all_.add(took);
    const size_t kMostTold = 5;
    const bool answered = response.ok() && response->status == expected;
    if (answered || failures_.size() == kMostTold) return took;
    failures_.push_back(std::string(method) + " " + target + ": " +
                        (response.ok()
                             ? std::to_string(response->status) + " " + response->body.str()
                             : response.status().message()));
    return took;
  }

  SystemClock clock_;
  http::LoopGroup loops_{1};
  const http::Origin origin_;
  http::ClientOptions options_;
  const int tries_;
  testkit::Latencies all_;
  testkit::Latencies kept_;
  testkit::Latencies fresh_;
  std::vector<std::string> failures_;
  std::jthread thread_;
};

// What the honest client may expect when it connects.
struct NewConnections {
  // Of a request, as client-go makes when a connection is cut off before there is a response.
  int tries = 3;
  bool prompt = true;  // the limit of latency is theirs, too
};

class OverloadTest : public testing::Test {
 protected:
  void SetUp() override {
    raise_descriptor_limit();
    const std::string tokens = folder_.file("tokens.csv",
                                            "honest,jane,1,\"developers\"\n"
                                            "hostile,mallory,2,\"developers\"\n");
    server_.emplace(data_dir_, "server", std::vector<std::string>{"--token-auth-file", tokens},
                    [this] {
                      limit_descriptors(1024);
                      memory_.enter();
                    });
    ASSERT_TRUE(server_->ready()) << server_->said();
    const std::string url = server_->url();
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
    Admin admin(data_dir_);
    const auto bound = admin.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                                 R"({"metadata":{"name":"developers"},"roleRef":{"apiGroup":
        "rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},"subjects":[
        {"apiGroup":"rbac.authorization.k8s.io","kind":"Group","name":"developers"}]})");
    ASSERT_EQ(bound.code, 201);
  }

  // Runs the attack beside an honest client. `attack` is called again and again for some seconds.
  // REQUIRES: trials_.next().
  void attack(const std::function<void()>& attack, NewConnections expected = {}) {
    {
      // What any use leaves behind: threads, caches, statistics.
      Honest first(data_dir_, port_, 1);
      std::this_thread::sleep_for(2s);
      first.finish();
    }
    const size_t before = testkit::resident_bytes(server_->pid());
    size_t most = before;
    const testkit::MachineShare our_share(server_->pid());
    Honest honest(data_dir_, port_, expected.tries);
    const auto end = std::chrono::steady_clock::now() + 6s;
    std::jthread meter([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        most = std::max(most, testkit::resident_bytes(server_->pid()));
        std::this_thread::sleep_for(20ms);
      }
    });
    while (std::chrono::steady_clock::now() < end) attack();
    const double share = our_share.measure();
    honest.finish();
    meter.request_stop();
    meter.join();
    over_.clear();
    const bool returned = testkit::holds_within(
        60s, [&] { return testkit::resident_bytes(server_->pid()) < before + kKept; });
    std::cout << "memory " << before / kMega << " MB, at most " << most / kMega << " MB, then "
              << testkit::resident_bytes(server_->pid()) / kMega << " MB; p50/p95/p99 of "
              << honest.kept().count() << " requests on a kept connection " << honest.kept().text()
              << ", of " << honest.fresh().count() << " on new ones " << honest.fresh().text()
              << "; our share " << share << "\n";
    EXPECT_TRUE(returned);
    EXPECT_LT(most, kMemory);
    if (share >= testkit::kLeastShare) {
      EXPECT_EQ(honest.failures(), std::vector<std::string>());
    }
    trials_.judge("a request", expected.prompt ? honest.all() : honest.kept(), 100, share);
  }

  Http2Client& connect(const http::Http2Limits& limits = Http2Client::generous()) {
    auto made = std::make_shared<Http2Client>(port_, true, limits);
    over_.push_back(made);
    return *made;
  }

  // Reads what the server sent, without waiting for more.
  static void read_now(Http2Client& client) {
    pollfd readable{client.raw().descriptor(), POLLIN, 0};
    for (int i = 0; i < 100 && poll(&readable, 1, 0) > 0; ++i) {
      if (!client.read()) return;
    }
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
  const MemoryCgroup memory_{kMemory};
  std::optional<Server> server_;
  int port_ = 0;
  std::vector<std::shared_ptr<void>> over_;  // connections that end with the attack
  testkit::LatencyTrials trials_;
};

TEST_F(OverloadTest, ThreeHundredUnfinishedBodies) {
  const Bytes body(std::string(2'899'999, ' '));
  http::Headers headers = kHostile;
  headers.add("content-length", "2900000");
  while (trials_.next()) {
    std::vector<Http2Client*> clients;
    attack([&] {
      while (clients.size() < 3) {
        clients.push_back(&connect());
        for (int i = 0; i < 100; ++i) {
          const http::StreamId stream = clients.back()->ask("POST", kMaps, false, headers);
          clients.back()->send(stream, body);
        }
      }
      for (Http2Client* client : clients) {
        client->ping();
        read_now(*client);
      }
      std::this_thread::sleep_for(10ms);  // the rate of the pings
    });
  }
}

TEST_F(OverloadTest, SilentConnectionsFromOneAddress) {
  while (trials_.next()) {
    attack([&] {
      for (int i = 0; i < 1400; ++i) over_.push_back(std::make_shared<RawClient>(port_));
      std::this_thread::sleep_for(200ms);  // how long they stay
      over_.clear();
    });
  }
}

TEST_F(OverloadTest, TwentyThousandConnectionsFromManyAddresses) {
  if (process_capacity().descriptors < 21'000) GTEST_SKIP() << "needs 21,000 descriptors";
  while (trials_.next()) {
    int number = 0;
    attack([&] {
      if (over_.size() >= 20'000) {
        std::this_thread::sleep_for(10ms);  // they stay
        return;
      }
      for (int i = 0; i < 100; ++i, ++number) {
        const std::string from = "127." + std::to_string(1 + number / 250 % 250) + "." +
                                 std::to_string(number % 250) + ".1";
        over_.push_back(std::make_shared<RawClient>(port_, RawClient::Options{.from = from}));
      }
    });
    EXPECT_GT(number, 10'000);
  }
}

// The first flight of a client, for each connection anew: the server's answer is expensive.
class UnfinishedHandshakes {
 public:
  UnfinishedHandshakes(int port, std::string from) : port_(port), from_(std::move(from)) {}

  void more() {
    for (int i = 0; i < 20; ++i, ++made_) {
      http::TlsSession session(context_, false, "localhost");
      ASSERT_TRUE(session.handshake().ok());
      open_.push_back(std::make_unique<RawClient>(port_, RawClient::Options{.from = from_}));
      open_.back()->send(session.outgoing());
      if (open_.size() > 2000) open_.pop_front();
    }
  }
  int made() const { return made_; }

 private:
  const int port_;
  const std::string from_;
  const std::shared_ptr<const http::TlsContext> context_ =
      http::TlsContext::client({.insecure_skip_verify = true}).value();
  std::deque<std::unique_ptr<RawClient>> open_;
  int made_ = 0;
};

TEST_F(OverloadTest, HandshakesThatAreNotFinished) {
  while (trials_.next()) {
    UnfinishedHandshakes handshakes(port_, "127.0.0.2");
    attack([&] { handshakes.more(); });
    EXPECT_GT(handshakes.made(), 5'000);
  }
}

// Nothing tells the client's handshakes from the attacker's, who begins more than the server can
// answer: some are cut off, but a client that tries again gets through, and what is connected is
// served.
TEST_F(OverloadTest, HandshakesThatAreNotFinishedFromTheSameAddress) {
  while (trials_.next()) {
    UnfinishedHandshakes handshakes(port_, "127.0.0.1");
    attack([&] { handshakes.more(); }, {.tries = 20, .prompt = false});
    EXPECT_GT(handshakes.made(), 5'000);
  }
}

TEST_F(OverloadTest, TwoThousandWatchesThatNobodyReads) {
  http::Http2Limits closed;
  closed.stream_window = 1000;
  http::Headers as_table = kHostile;
  as_table.add("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
  while (trials_.next()) {
    std::vector<Http2Client*> clients;
    Http2Client& writer = connect();
    int number = 0;
    attack([&] {
      while (clients.size() < 20) {
        clients.push_back(&connect(closed));
        for (int i = 0; i < 100; ++i) {
          const std::string target = std::string(kMaps) + "?watch=true&includeObject=Object";
          clients.back()->hold(
              clients.back()->ask("GET", target, true, i % 2 == 0 ? as_table : kHostile));
        }
      }
      // The same few objects: what the store keeps of them is not the question here.
      const std::string name = "large-" + std::to_string(number % 4);
      const char fill = static_cast<char>('a' + number++ % 26);
      const std::string text = large_map(name, 900'000, fill);
      const http::StreamId created = writer.ask("POST", kMaps, false, kHostile);
      writer.send(created, text);
      writer.end(created);
      if (writer.wait(created).status == 409) {
        const http::StreamId changed = writer.ask("PUT", kMaps + ("/" + name), false, kHostile);
        writer.send(changed, text);
        writer.end(changed);
        EXPECT_EQ(writer.wait(changed).status, 200);
      }
      for (Http2Client* client : clients) read_now(*client);
      std::this_thread::sleep_for(1s);  // the rate of changes: the store keeps their history
    });
  }
}

TEST_F(OverloadTest, TwentyThousandProvokedResets) {
  namespace frames = testkit::frames;
  // A creation whose body is longer than announced: its work could go on after the reset.
  const std::string fields = frames::field(":method", "POST") + frames::field(":scheme", "https") +
                             frames::field(":authority", "a") + frames::field(":path", kMaps) +
                             frames::field("authorization", "Bearer hostile") +
                             frames::field("content-type", "application/json") +
                             frames::field("content-length", "1");
  while (trials_.next()) {
    int reset = 0;
    attack([&] {
      RawClient client(port_, {.tls = true, .protocol = "h2"});
      client.send(std::string(frames::kPreface) + frames::frame(frames::kSettings, 0, 0));
      for (uint32_t id = 1; id < 40'000; id += 2) {
        if (!client.send(frames::frame(frames::kHeaders, frames::kEndHeaders, id, fields) +
                         frames::frame(frames::kData, 0, id, "{}"))) {
          break;
        }
        ++reset;
      }
    });
    EXPECT_GT(reset, 20'000);
  }
}

}  // namespace
}  // namespace proa::e2e
