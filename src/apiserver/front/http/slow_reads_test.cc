#include <gtest/gtest.h>

#include "apiserver/front/http/resource_front.h"
#include "base/encoding.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/apiserver/test_webhook.h"
#include "testkit/http/http2_client.h"
#include "testkit/patience.h"

namespace proa::apiserver {
namespace slow_reads_test {

using testkit::Http2Client;

constexpr std::chrono::seconds kPatience(20);
constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr const char* kBoats = "/apis/example.com/v1/namespaces/default/boats";
constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr const char* kPartial = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

std::string version(const std::string& name, bool stored, const std::string& fields) {
  return R"({"name":")" + name + R"(","served":true,"storage":)" + (stored ? "true" : "false") +
         R"(,"selectableFields":[{"jsonPath":".spec.port"}],"additionalPrinterColumns":[)"
         R"({"name":"Port","type":"string","jsonPath":"..port"}],"schema":{"openAPIV3Schema":)"
         R"({"type":"object","properties":{"spec":{"type":"object","properties":{)" +
         fields + R"("port":{"type":"string"}}}}}}})";
}

// A server on which reads may take one place of the pool, which is taken: what Jane is answered
// comes from the loop's thread, and what is refused would have run on the pool. Masters are never
// refused.
class SlowReadsTest : public testing::Test {
 protected:
  void SetUp() override {
    api_.allow_everything_to("developers");
    define("boat", version("v1", true, ""), "");
    ASSERT_EQ(api_.ask("POST", kBoats, boat("a")).code, 201);
    take_place();
  }

  void define(const std::string& name, const std::string& versions, const std::string& more) {
    const std::string names = R"("plural":")" + name + R"(s","singular":")" + name +
                              R"(","kind":")" + name + R"(","listKind":")" + name + R"(List")";
    const auto made = api_.ask("POST", kDefinitions,
                               R"({"metadata":{"name":")" + name +
                                   R"(s.example.com"},"spec":{"group":"example.com",)"
                                   R"("scope":"Namespaced","names":{)" +
                                   names + R"(},"versions":[)" + versions + "]" + more + "}}");
    ASSERT_EQ(made.code, 201) << made.body;
    const auto accepted = patch(std::string(kDefinitions) + "/" + name + "s.example.com/status",
                                R"({"status":{"acceptedNames":{)" + names +
                                    R"(},"conditions":[{"type":"NamesAccepted","status":"True"},)"
                                    R"({"type":"Established","status":"True"}]}})");
    ASSERT_EQ(accepted.code, 200) << accepted.body;
  }
  // Objects from before lack a default then.
  void add_default() {
    const auto changed =
        patch(std::string(kDefinitions) + "/boats.example.com",
              R"({"spec":{"versions":[)" +
                  version("v1", true, R"("flag":{"type":"string","default":"white"},)") + "]}}");
    ASSERT_EQ(changed.code, 200) << changed.body;
  }
  testkit::RunningApi::Answer patch(const std::string& target, const std::string& body) {
    return api_.ask("PATCH", target, body, {{"content-type", "application/merge-patch+json"}});
  }
  static std::string boat(const std::string& name) {
    return R"({"kind":"boat","apiVersion":"example.com/v1","metadata":{"name":")" + name +
           R"("},"spec":{"port":"dover"}})";
  }

  int ask(const std::string& target, const char* accept = "application/json") {
    return jane_.wait(jane_.ask("GET", target, true, {{"accept", accept}})).status;
  }
  std::string ask_master(const std::string& target, const char* accept = "application/json") {
    return master_.wait(master_.ask("GET", target, true, {{"accept", accept}})).body;
  }
  // All of a watch up to that text.
  std::string read_until(http::StreamId watch, const std::string& text) {
    auto& answer = master_.answer(watch);
    while (answer.body.find(text) == std::string::npos) {
      if (answer.closed || !master_.read()) return "it ended: " + answer.body;
    }
    return answer.body;
  }

 private:
  // By a read that waits for a webhook.
  void take_place() {
    const std::string url = webhook_.connection("/convert").server;
    define("ship", version("v1", false, "") + "," + version("v2", true, ""),
           R"(,"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
           R"("clientConfig":{"url":")" +
               url + R"(","caBundle":")" +
               to_base64(TestCertificates::get().authority.certificate_pem) + R"("}}})");
    const auto made = api_.ask("POST", "/apis/example.com/v2/namespaces/default/ships",
                               R"({"kind":"ship","apiVersion":"example.com/v2","metadata":)"
                               R"({"name":"a"},"spec":{"port":"dover"}})");
    ASSERT_EQ(made.code, 201) << made.body;
    waiting_ = api_.open("/apis/example.com/v1/namespaces/default/ships/a");
    ASSERT_TRUE(testkit::holds_within(kPatience, [&] { return webhook_.count() > 0; }));
  }

 protected:
  TestWebhook webhook_{[](const TestWebhook::Asked&) { return std::nullopt; }};
  WebhookEnvironment environment_;
  testkit::RunningApi api_{testkit::RunningApi::Options{
      .in_flight = {.read_only = 1}, .fairness = false, .webhooks = &environment_.context}};
  Http2Client jane_{api_.port(), api_.client_certificate("jane", "developers")};
  Http2Client master_{api_.port(), api_.client_certificate("master", "system:masters")};
  std::unique_ptr<http::BlockingCall> waiting_;
};

TEST_F(SlowReadsTest, ObjectsAreServedAsStoredByTheLoop) {
  EXPECT_EQ(ask(std::string(kBoats) + "/a"), 200);
  EXPECT_EQ(ask(kBoats), 200);
  EXPECT_EQ(ask(std::string(kBoats) + "?fieldSelector=metadata.name%3Da"), 200);
}

TEST_F(SlowReadsTest, TablesOfCustomResourcesAreMadeOnThePool) {
  EXPECT_EQ(ask(std::string(kBoats) + "/a", kTable), 429);
  EXPECT_EQ(ask(kBoats, kTable), 429);
  EXPECT_EQ(ask(std::string(kMaps), kTable), 200);
  EXPECT_NE(ask_master(kBoats, kTable).find(R"("cells":["a","dover"])"), std::string::npos);
  EXPECT_NE(ask_master(std::string(kBoats) + "/a", kTable).find(R"("cells":["a","dover"])"),
            std::string::npos);
}

TEST_F(SlowReadsTest, LongTablesAreMadeOnThePool) {
  for (const char* name : {"a", "b"}) {
    const auto made = api_.ask("POST", kMaps,
                               R"({"metadata":{"name":")" + std::string(name) +
                                   R"("},"data":{"text":")" + std::string(900'000, 'x') + "\"}}");
    ASSERT_EQ(made.code, 201);
  }
  EXPECT_EQ(ask(kMaps, kTable), 429);
  EXPECT_EQ(ask(kMaps), 200);
}

TEST_F(SlowReadsTest, ObjectsAreSearchedOnThePool) {
  const std::string target = std::string(kBoats) + "?fieldSelector=spec.port%3Ddover";
  EXPECT_EQ(ask(target), 429);
  EXPECT_NE(ask_master(target).find(R"("name":"a")"), std::string::npos);
  const http::StreamId watch = master_.ask("GET", target + "&watch=true");
  EXPECT_EQ(read_until(watch, R"("name":"a")").find("ended"), std::string::npos);
}

TEST_F(SlowReadsTest, DefaultsAreSetOnThePool) {
  add_default();
  EXPECT_EQ(ask(std::string(kBoats) + "/a"), 429);
  EXPECT_EQ(ask(kBoats), 429);
  // Metadata has none.
  EXPECT_EQ(ask(kBoats, kPartial), 200);
  constexpr const char* kFlag = R"("flag":"white")";
  EXPECT_NE(ask_master(std::string(kBoats) + "/a").find(kFlag), std::string::npos);
  EXPECT_NE(ask_master(kBoats).find(kFlag), std::string::npos);
}

// Those that take long and those that do not, in their order.
TEST_F(SlowReadsTest, WatchesSetDefaultsOnce) {
  add_default();
  ASSERT_EQ(api_.ask("POST", kBoats, boat("b")).code, 201);
  const http::StreamId watch = master_.ask("GET", std::string(kBoats) + "?watch=true");
  EXPECT_EQ(read_until(watch, R"("name":"b")").find("ended"), std::string::npos);
  ASSERT_EQ(api_.ask("DELETE", std::string(kBoats) + "/a").code, 200);
  const std::string events = read_until(watch, R"("type":"DELETED")");
  const size_t first = events.find(R"("name":"a")");
  const size_t second = events.find(R"("name":"b")");
  ASSERT_NE(first, std::string::npos) << events;
  EXPECT_LT(first, second) << events;
  EXPECT_LT(events.find(R"("flag":"white")"), second) << events;
}

TEST_F(SlowReadsTest, WatchesSayTheColumnsOnce) {
  const http::StreamId watch =
      master_.ask("GET", std::string(kBoats) + "?watch=true", true, {{"accept", kTable}});
  std::string events = read_until(watch, R"("cells":["a","dover"])");
  EXPECT_NE(events.find(R"("columnDefinitions":[{"name":"Name")"), std::string::npos) << events;
  ASSERT_EQ(api_.ask("POST", kBoats, boat("b")).code, 201);
  events = read_until(watch, R"("cells":["b","dover"])");
  EXPECT_NE(events.find(R"("columnDefinitions":null)"), std::string::npos) << events;
}

}  // namespace slow_reads_test
}  // namespace proa::apiserver
