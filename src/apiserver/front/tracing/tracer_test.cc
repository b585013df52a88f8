#include "apiserver/front/tracing/tracer.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "api/codec/protobuf/wire.h"
#include "apiserver/front/tracing/otlp.h"
#include "base/encoding.h"
#include "base/utf8.h"
#include "http/wire/grpc_frame.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/http/http2_client.h"
#include "testkit/http/scripted_server.h"

namespace proa::apiserver::tracing {
namespace {

using testkit::Http2Client;
using testkit::RunningApi;
using testkit::ScriptedHttp2;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

constexpr const char* kTrace = "0af7651916cd43dd8448eb211c80319c";
constexpr const char* kCause = "b7ad6b7169203331";
constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";

template <typename Each>
void for_each(std::string_view message, uint32_t number, Each each) {
  api::WireReader reader(message);
  api::WireField field;
  while (reader.next(field)) {
    if (field.number == number) each(field);
  }
  EXPECT_TRUE(reader.done());
}

std::string bytes_of(std::string_view message, uint32_t number) {
  std::string found;
  for_each(message, number, [&](const api::WireField& field) { found = field.bytes; });
  return found;
}

std::map<std::string, std::string> attributes_of(std::string_view message, uint32_t number) {
  std::map<std::string, std::string> found;
  for_each(message, number, [&](const api::WireField& field) {
    std::string& value = found[bytes_of(field.bytes, 1)];
    const std::string any = bytes_of(field.bytes, 2);
    for_each(any, 1, [&](const api::WireField& text) { value = text.bytes; });
    for_each(any, 3, [&](const api::WireField& count) { value = std::to_string(count.value); });
  });
  return found;
}

// A span as a collector sees it; IDs in hexadecimal.
struct Seen {
  std::string trace;
  std::string id;
  std::string parent;
  std::string name;
  uint64_t kind = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::map<std::string, std::string> attributes;
  std::string link;
  uint64_t status = 0;
};

Seen seen_of(std::string_view message) {
  Seen seen{.trace = to_hex(bytes_of(message, 1)),
            .id = to_hex(bytes_of(message, 2)),
            .parent = to_hex(bytes_of(message, 4)),
            .name = bytes_of(message, 5),
            .attributes = attributes_of(message, 9),
            .link = to_hex(bytes_of(bytes_of(message, 13), 1))};
  for_each(message, 6, [&](const api::WireField& field) { seen.kind = field.value; });
  for_each(message, 7, [&](const api::WireField& field) { seen.begin = field.value; });
  for_each(message, 8, [&](const api::WireField& field) { seen.end = field.value; });
  const std::string status = bytes_of(message, 15);
  for_each(status, 3, [&](const api::WireField& field) { seen.status = field.value; });
  return seen;
}

// What the collector got.
struct Collected {
  Mutex mutex;
  std::vector<Seen> spans GUARDED_BY(mutex);
  std::map<std::string, std::string> resource GUARDED_BY(mutex);
  std::string path GUARDED_BY(mutex);
};

struct CollectorPeer : ScriptedHttp2 {
  CollectorPeer(ScriptedPeer& peer, Collected& shared) : ScriptedHttp2(peer), all(shared) {}

  void on_request(http::StreamId, http::RequestHead head, bool) override {
    MutexLock lock(all.mutex);
    all.path = head.target;
  }
  void on_body(http::StreamId stream, std::string_view bytes) override {
    session.consume(stream, bytes.size());
    request += bytes;
  }
  void on_body_end(http::StreamId stream, http::Headers) override {
    {
      MutexLock lock(all.mutex);
      const std::string spans = bytes_of(request.substr(5), 1);  // after the frame's head
      all.resource = attributes_of(bytes_of(spans, 1), 1);
      const std::string scope = bytes_of(spans, 2);
      for_each(scope, 2, [&](const api::WireField& span) NO_THREAD_SAFETY_ANALYSIS {
        all.spans.push_back(seen_of(span.bytes));
      });
    }
    request.clear();
    session.respond(stream, {200, {{"content-type", "application/grpc"}}}, false);
    session.send(stream, http::print_grpc_frame(""));
    session.end(stream, {{"grpc-status", "0"}});
  }

  Collected& all;
  std::string request;
};

class TracerTest : public testing::Test {
 protected:
  void start(uint32_t per_million) {
    http::Origin collector = server_.origin();
    collector.protocol = http::HttpProtocol::kHttp2;
    api_.emplace(RunningApi::Options{
        .webhooks = &context_,
        .tracing = Options{.configuration = {collector, per_million}, .instance = "apiserver-a"}});
  }
  // Ends the server, which sends what it has.
  std::vector<Seen> spans() {
    api_.reset();
    MutexLock lock(all_.mutex);
    return all_.spans;
  }
  static http::Headers caused_by(const std::string& flags) {
    return {{"traceparent", "00-" + std::string(kTrace) + "-" + kCause + "-" + flags}};
  }

  SystemClock clock_;
  SystemFiles files_;
  SystemRandom random_;
  Collected all_;
  ScriptedServer server_{[this](ScriptedPeer& peer, int) { CollectorPeer(peer, all_).run(); }};
  http::LoopGroup loops_{1};
  const WebhookContext context_{loops_, clock_, files_, random_};
  std::optional<RunningApi> api_;
};

const Seen& find(const std::vector<Seen>& spans, std::string_view name) {
  static const Seen kNone;
  for (const Seen& span : spans) {
    if (span.name == name) return span;
  }
  ADD_FAILURE() << "no span " << name;
  return kNone;
}

TEST_F(TracerTest, AWriteIsASpanWithItsSteps) {
  start(1'000'000);
  ASSERT_EQ(
      api_->ask("POST", std::string(kMaps) + "?fieldManager=me", R"({"metadata":{"name":"a"}})",
                {{"user-agent", "test/1"}, {"audit-id", "asked"}})
          .code,
      201);
  const std::vector<Seen> found = spans();
  const Seen& root = find(found, "POST /api/v1/namespaces/{:namespace}/configmaps");
  EXPECT_EQ(root.kind, 2u) << "SERVER";
  EXPECT_EQ(root.parent, "");
  EXPECT_EQ(root.trace.size(), 32u);
  EXPECT_EQ(root.begin, 1767366245'000'000'000u);
  EXPECT_GE(root.end, root.begin);
  const std::map<std::string, std::string> wanted = {
      {"http.request.method", "POST"},
      {"url.scheme", "https"},
      {"server.address", "127.0.0.1"},
      {"url.path", kMaps},
      {"http.target", std::string(kMaps) + "?fieldManager=me"},
      {"user_agent.original", "test/1"},
      {"client.address", "127.0.0.1"},
      {"network.peer.address", "127.0.0.1"},
      {"audit-id", "asked"},
      {"http.response.status_code", "201"}};
  for (const auto& [key, value] : wanted) {
    const auto attribute = root.attributes.find(key);
    ASSERT_NE(attribute, root.attributes.end()) << key;
    EXPECT_EQ(attribute->second, value) << key;
  }
  const Seen& create = find(found, "Create");
  EXPECT_EQ(create.parent, root.id);
  EXPECT_EQ(create.trace, root.trace);
  EXPECT_EQ(create.kind, 1u) << "INTERNAL";
  EXPECT_EQ(create.attributes.at("resource"), "configmaps");
  EXPECT_EQ(create.attributes.at("namespace"), "default");
  EXPECT_EQ(find(found, "store commit").parent, create.id);
  EXPECT_EQ(find(found, "authorization").parent, root.id);
  EXPECT_EQ(find(found, "SerializeObject").parent, root.id);
  MutexLock lock(all_.mutex);
  EXPECT_EQ(all_.path, kExportMethod);
  EXPECT_EQ(all_.resource,
            (std::map<std::string, std::string>{{"service.name", "apiserver"},
                                                {"service.instance.id", "apiserver-a"}}));
}

// Protobuf's strings are UTF-8: a collector would refuse the whole batch.
TEST_F(TracerTest, TextsOfClientsAreUtf8) {
  start(1'000'000);
  std::string long_agent;
  while (long_agent.size() < 3000) long_agent += "\u20ac";
  for (const std::string& agent : {std::string("a\xff\xc3/1"), long_agent})
    EXPECT_EQ(api_->ask("GET", "/version", {}, {{"user-agent", agent}}).code, 200);
  EXPECT_EQ(api_->ask("GET", "/apis/g%ff/v1/things").code, 404);
  std::set<std::string> agents;
  for (const Seen& span : spans()) {
    EXPECT_TRUE(is_utf8(span.name)) << span.name;
    for (const auto& [key, value] : span.attributes) {
      EXPECT_TRUE(is_utf8(value)) << key << "=" << value;
      if (key == "user_agent.original") agents.insert(value);
    }
  }
  EXPECT_TRUE(agents.contains("a\uFFFD\uFFFD/1"));
  EXPECT_TRUE(agents.contains(long_agent.substr(0, 2046))) << "the limit is within a character";
}

TEST_F(TracerTest, PathsHaveTheirMethodAsName) {
  start(1'000'000);
  EXPECT_EQ(api_->ask("GET", "/version").code, 200);
  EXPECT_EQ(api_->ask("GET", std::string(kMaps) + "/none").code, 404);
  const std::vector<Seen> found = spans();
  EXPECT_EQ(find(found, "GET").attributes.at("url.path"), "/version");
  const Seen& missing = find(found, "GET /api/v1/namespaces/{:namespace}/configmaps/{:name}");
  EXPECT_EQ(missing.attributes.at("http.response.status_code"), "404");
  EXPECT_EQ(missing.status, 0u) << "the client's mistake is no error of the server";
}

TEST_F(TracerTest, ThePrivilegedDecideForThemselves) {
  start(0);
  EXPECT_EQ(api_->ask("GET", "/version").code, 200);
  EXPECT_EQ(api_->ask("GET", "/version", {}, caused_by("01")).code, 200);
  const std::vector<Seen> found = spans();
  ASSERT_EQ(found.size(), 2u) << "the request and its authorization";
  EXPECT_EQ(find(found, "GET").trace, kTrace);
  EXPECT_EQ(find(found, "GET").parent, kCause);
  EXPECT_EQ(find(found, "GET").link, "");
}

TEST_F(TracerTest, AnUnsampledCauseOfThePrivilegedIsRespected) {
  start(1'000'000);
  EXPECT_EQ(api_->ask("GET", "/version", {}, caused_by("00")).code, 200);
  EXPECT_TRUE(spans().empty());
}

TEST_F(TracerTest, CausesOfOthersAreOnlyLinked) {
  start(1'000'000);
  {
    Http2Client other(api_->port(), api_->client_certificate("someone", "team"));
    EXPECT_EQ(other.wait(other.ask("GET", "/version", true, caused_by("00"))).status, 200);
  }
  const std::vector<Seen> found = spans();
  const Seen& span = find(found, "GET");
  EXPECT_NE(span.trace, kTrace);
  EXPECT_EQ(span.parent, "");
  EXPECT_EQ(span.link, kTrace);
}

TEST_F(TracerTest, ManyStepsAreBounded) {
  start(1'000'000);
  for (int i = 0; i < 80; ++i) {
    ASSERT_EQ(api_->ask("POST", kMaps, R"({"metadata":{"name":"a)" + std::to_string(i) + R"("}})",
                        // Not traced.
                        caused_by("00"))
                  .code,
              201);
  }
  ASSERT_EQ(api_->ask("DELETE", kMaps).code, 200);
  const std::vector<Seen> found = spans();
  EXPECT_EQ(found.size(), 64u);
  EXPECT_EQ(find(found, "DELETE /api/v1/namespaces/{:namespace}/configmaps")
                .attributes.at("http.response.status_code"),
            "200");
}

}  // namespace
}  // namespace proa::apiserver::tracing
