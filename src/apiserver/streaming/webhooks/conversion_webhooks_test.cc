#include "apiserver/streaming/webhooks/conversion_webhooks.h"
#include "apiserver/streaming/webhooks/hook_clients.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/apiserver/test_webhook.h"
#include "testkit/http/test_server.h"
#include "testkit/patience.h"

namespace proa::apiserver {
namespace {

using api::Edit;
using api::View;

// Ships have a berth, "dover:7": two fields since v2, which is the version that is stored.
std::string convert(const std::string& question) {
  const json::Document asked = json::parse(question).value();
  const View request = View(asked.root())["request"];
  const std::string_view wanted = request["desiredAPIVersion"].text();
  json::Document answer({}, json::Value::object());
  const Edit review(answer);
  review.set("kind", "ConversionReview");
  review.set("apiVersion", "apiextensions.k8s.io/v1");
  const Edit response = review.object("response");
  response.set("uid", request["uid"].text());
  response.object("result").set("status", "Success");
  const Edit objects = response.array("convertedObjects");
  for (const View object : request["objects"].items()) {
    objects.push(object.value()->copy(objects.arena()));
    const Edit converted = objects.item(objects.size() - 1);
    converted.set("apiVersion", wanted);
    const Edit spec = converted.object("spec");
    if (wanted == "example.com/v2") {
      const auto parts = split_once(object["spec"]["berth"].text(), ':');
      if (!parts) continue;
      spec.set("port", parts->before);
      spec.set("number", parts->after);
      spec.remove("berth");
    } else {
      spec.set("berth", std::string(object["spec"]["port"].text()) + ":" +
                            std::string(object["spec"]["number"].text()));
      spec.remove("port");
      spec.remove("number");
    }
  }
  return json::print(answer.root());
}

constexpr std::chrono::seconds kPatience(20);
constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr const char* kOld = "/apis/example.com/v1/namespaces/default/ships";
constexpr const char* kNew = "/apis/example.com/v2/namespaces/default/ships";

class ConversionWebhooksTest : public testing::Test {
 protected:
  // `client`: of the webhook, such as {"url":"..."}.
  void define(const std::string& client) {
    const auto version = [](const std::string& name, const std::string& storage,
                            const std::string& fields, const std::string& selectable) {
      return R"({"name":")" + name + R"(","served":true,"storage":)" + storage +
             R"(,"subresources":{"status":{}},"selectableFields":[{"jsonPath":".spec.)" +
             selectable + R"("}],"additionalPrinterColumns":[{"name":"Where","type":"string",)" +
             R"("jsonPath":".spec.)" + selectable + R"("}],"schema":{"openAPIV3Schema":)" +
             R"({"type":"object","properties":{"spec":{"type":"object","properties":{)" + fields +
             R"(}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}})";
    };
    const std::string names =
        R"("plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList")";
    const auto made = api_.ask(
        "POST", kDefinitions,
        R"({"metadata":{"name":"ships.example.com"},"spec":{"group":"example.com",)"
        R"("scope":"Namespaced","names":{)" +
            names + R"(},"versions":[)" +
            version("v1", "false", R"("berth":{"type":"string","maxLength":20})", "berth") + "," +
            version("v2", "true",
                    R"("port":{"type":"string"},"number":{"type":"string"},)"
                    R"("flag":{"type":"string","default":"white"})",
                    "port") +
            R"(],"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
            R"("clientConfig":)" +
            client + "}}}}");
    ASSERT_EQ(made.code, 201) << made.body;
    const auto accepted =
        api_.ask("PATCH", std::string(kDefinitions) + "/ships.example.com/status",
                 R"({"status":{"acceptedNames":{)" + names +
                     R"(},"conditions":[{"type":"NamesAccepted","status":"True"},)"
                     R"({"type":"Established","status":"True"}]}})",
                 {{"content-type", "application/merge-patch+json"}});
    ASSERT_EQ(accepted.code, 200) << accepted.body;
  }
  void define() {
    define(R"({"url":")" + webhook_.connection("/convert").server + R"(",)" + bundle() + "}");
  }
  static std::string bundle() {
    return R"("caBundle":")" + to_base64(TestCertificates::get().authority.certificate_pem) +
           R"(")";
  }

  testkit::RunningApi::Answer post(const std::string& version, const std::string& name,
                                   const std::string& spec) {
    return api_.ask("POST", version == "v1" ? kOld : kNew,
                    R"({"kind":"Ship","apiVersion":"example.com/)" + version +
                        R"(","metadata":{"name":")" + name + R"("},"spec":)" + spec + "}");
  }
  testkit::RunningApi::Answer create(const std::string& name, const std::string& berth) {
    return post("v1", name, R"({"berth":")" + berth + R"("})");
  }
  // Reads a watch until that text, or, if it is empty, its end. False on timeout.
  static bool read(http::BlockingCall& watch, std::string& seen, const std::string& text) {
    SystemClock clock;
    while (text.empty() || seen.find(text) == std::string::npos) {
      const auto part = watch.read(Until::after(clock, kPatience));
      if (!part) return false;
      if (!part->has_value()) return text.empty();
      seen += (*part)->str();
    }
    return true;
  }
  // From now on, the webhook fails; returns once it was asked.
  bool breaks_when(const std::function<void()>& act) {
    webhook_.set_answer([](const TestWebhook::Asked&) { return TestWebhook::json("{}", 500); });
    const size_t before = webhook_.count();
    act();
    return testkit::holds_within(kPatience, [&] { return webhook_.count() > before; });
  }
  // A part of an answer as JSON.
  std::string get(const std::string& target, const std::string& path,
                  const http::Headers& headers = {}) {
    const auto answer = api_.ask("GET", target, {}, headers);
    const json::Document document = json::parse(answer.body).value();
    const View found = View(document.root()).at(path);
    return found ? json::print(*found.value()) : answer.body;
  }

  TestWebhook webhook_{
      [](const TestWebhook::Asked& asked) { return TestWebhook::json(convert(asked.body)); }};
  WebhookEnvironment environment_;
  testkit::RunningApi api_{testkit::RunningApi::Options{.webhooks = &environment_.context}};
};

TEST_F(ConversionWebhooksTest, EveryVersionIsServed) {
  define();
  const auto made = create("a", "dover:7");
  ASSERT_EQ(made.code, 201) << made.body;
  EXPECT_NE(made.body.find(R"("apiVersion":"example.com/v1")"), std::string::npos) << made.body;
  EXPECT_NE(made.body.find(R"("spec":{"berth":"dover:7"})"), std::string::npos) << made.body;
  // It is stored in the other version; nobody is asked for that one.
  const size_t asked = webhook_.count();
  EXPECT_EQ(get(std::string(kNew) + "/a", "spec"),
            R"({"port":"dover","number":"7","flag":"white"})");
  EXPECT_EQ(webhook_.count(), asked);
  EXPECT_EQ(get(std::string(kOld) + "/a", "spec"), R"({"berth":"dover:7"})");
}

TEST_F(ConversionWebhooksTest, WritesAreAboutTheVersionOfTheRequest) {
  define();
  ASSERT_EQ(create("a", "dover:7").code, 201);
  const http::Headers merge = {{"content-type", "application/merge-patch+json"}};
  const std::string target = std::string(kOld) + "/a";
  const auto patched = api_.ask("PATCH", target, R"({"spec":{"berth":"calais:1"}})", merge);
  EXPECT_EQ(patched.code, 200) << patched.body;
  EXPECT_EQ(get(std::string(kNew) + "/a", "spec.port"), R"("calais")");
  EXPECT_EQ(get(std::string(kNew) + "/a", "metadata.generation"), "2");
  const auto invalid =
      api_.ask("PATCH", target, R"({"spec":{"berth":"a berth that is too long:1"}})", merge);
  EXPECT_EQ(invalid.code, 422);
  EXPECT_NE(invalid.body.find("spec.berth: Too long"), std::string::npos) << invalid.body;
  const auto status = api_.ask("PATCH", target + "/status", R"({"status":{"afloat":true}})", merge);
  EXPECT_EQ(status.code, 200) << status.body;
  EXPECT_EQ(get(std::string(kNew) + "/a", "status.afloat"), "true");
  const auto applied =
      api_.ask("PATCH", target + "?fieldManager=me&force=true",
               R"({"apiVersion":"example.com/v1","kind":"Ship","spec":{"berth":"rome:3"}})",
               {{"content-type", "application/apply-patch+yaml"}});
  EXPECT_EQ(applied.code, 200) << applied.body;
  EXPECT_EQ(get(std::string(kNew) + "/a", "spec.number"), R"("3")");
  EXPECT_EQ(api_.ask("DELETE", target).code, 200);
  EXPECT_EQ(api_.ask("GET", target).code, 404);
}

TEST_F(ConversionWebhooksTest, ListsAskOnceForAll) {
  define();
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_EQ(post("v2", "s" + number, R"({"number":"1","port":"p)" + number + R"("})").code, 201);
  }
  EXPECT_EQ(webhook_.count(), 0U);
  const auto listed = api_.ask("GET", kOld);
  EXPECT_EQ(webhook_.count(), 1U);
  EXPECT_NE(listed.body.find(R"({"berth":"p19:1"})"), std::string::npos) << listed.body;
  EXPECT_EQ(listed.body.find(R"("flag")"), std::string::npos);
  const std::string selected = std::string(kOld) + "?fieldSelector=spec.berth%3Dp7:1";
  EXPECT_NE(get(selected, "items").find(R"("name":"s7")"), std::string::npos);
  EXPECT_EQ(get(selected, "items").find(R"("name":"s8")"), std::string::npos);
  const std::string cells =
      get(kOld, "rows", {{"accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  EXPECT_NE(cells.find(R"("cells":["s3","p3:1"])"), std::string::npos) << cells;
}

// Answers are remembered for a moment, but nothing is written that follows from them: the webhook
// may be another program by now.
TEST_F(ConversionWebhooksTest, WritesFollowFromWhatTheWebhookSaysNow) {
  define();
  ASSERT_EQ(post("v2", "a", R"({"number":"1","port":"rome"})").code, 201);
  const std::string target = std::string(kOld) + "/a";
  EXPECT_EQ(get(target, "spec.berth"), R"("rome:1")");
  const size_t before = webhook_.count();
  const auto patched = api_.ask("PATCH", target, R"({"metadata":{"labels":{"a":"b"}}})",
                                {{"content-type", "application/merge-patch+json"}});
  EXPECT_EQ(patched.code, 200) << patched.body;
  const std::vector<TestWebhook::Asked> asked = webhook_.asked();
  ASSERT_GT(asked.size(), before);
  EXPECT_NE(asked[before].body.find(R"("desiredAPIVersion":"example.com/v1")"), std::string::npos)
      << asked[before].body;
}

TEST_F(ConversionWebhooksTest, WatchesAreConverted) {
  define();
  ASSERT_EQ(create("a", "dover:7").code, 201);
  const auto watch =
      api_.open(std::string(kOld) + "?watch=true&fieldSelector=spec.berth%3Ddover:7");
  SystemClock clock;
  std::string seen;
  ASSERT_TRUE(watch->head(Until::after(clock, kPatience)).ok());
  ASSERT_TRUE(read(*watch, seen, R"("type":"ADDED")"));
  EXPECT_NE(seen.find(R"("spec":{"berth":"dover:7"})"), std::string::npos) << seen;
  ASSERT_EQ(create("b", "dover:7").code, 201);
  ASSERT_EQ(create("c", "rome:7").code, 201);
  ASSERT_EQ(api_.ask("DELETE", std::string(kOld) + "/a").code, 200);
  ASSERT_TRUE(read(*watch, seen, R"("type":"DELETED")"));
  EXPECT_NE(seen.find(R"("name":"b")"), std::string::npos);
  EXPECT_EQ(seen.find(R"("name":"c")"), std::string::npos);
}

TEST_F(ConversionWebhooksTest, WatchesWaitForAWebhookThatFails) {
  define();
  ASSERT_EQ(create("a", "dover:7").code, 201);
  const auto watch = api_.open(std::string(kOld) + "?watch=true");
  SystemClock clock;
  ASSERT_TRUE(watch->head(Until::after(clock, kPatience)).ok());
  std::string seen;
  ASSERT_TRUE(read(*watch, seen, R"("name":"a")"));
  ASSERT_TRUE(breaks_when(
      [&] { ASSERT_EQ(post("v2", "b", R"({"number":"1","port":"rome"})").code, 201); }));
  ASSERT_EQ(post("v2", "c", R"({"number":"2","port":"rome"})").code, 201);
  webhook_.set_answer(
      [](const TestWebhook::Asked& asked) { return TestWebhook::json(convert(asked.body)); });
  ASSERT_TRUE(read(*watch, seen, R"("spec":{"berth":"rome:2"})")) << seen;
  EXPECT_LT(seen.find(R"("spec":{"berth":"rome:1"})"), seen.find(R"("spec":{"berth":"rome:2"})"));
  EXPECT_EQ(seen.find(R"("type":"ERROR")"), std::string::npos) << seen;
}

TEST_F(ConversionWebhooksTest, WatchesEndWhenTheWebhookFailsForTooLong) {
  define();
  ASSERT_EQ(create("a", "dover:7").code, 201);
  const auto watch = api_.open(std::string(kOld) + "?watch=true");
  SystemClock clock;
  ASSERT_TRUE(watch->head(Until::after(clock, kPatience)).ok());
  std::string seen;
  ASSERT_TRUE(read(*watch, seen, R"("name":"a")"));
  ASSERT_TRUE(breaks_when(
      [&] { ASSERT_EQ(post("v2", "b", R"({"number":"1","port":"rome"})").code, 201); }));
  const size_t asked = webhook_.count();
  ASSERT_TRUE(testkit::holds_within(kPatience, [&] { return webhook_.count() > asked; }));
  api_.clock().advance(std::chrono::seconds(31));
  EXPECT_TRUE(read(*watch, seen, "")) << seen;
  EXPECT_EQ(seen.find(R"("type":"ERROR")"), std::string::npos) << seen;
}

TEST_F(ConversionWebhooksTest, ServicesAreCalledByTheirEndpoints) {
  const std::string address = testkit::own_address();
  const int port = webhook_.listen_at(address);
  const auto service =
      api_.ask("POST", "/api/v1/namespaces/default/services",
               R"({"metadata":{"name":"hook"},"spec":{"ports":[{"port":443,"targetPort":8443}]}})");
  ASSERT_EQ(service.code, 201) << service.body;
  define(R"({"service":{"name":"hook","namespace":"default","path":"/convert"},)" + bundle() + "}");
  const auto lost = create("a", "dover:7");
  EXPECT_EQ(lost.code, 500);
  EXPECT_NE(
      lost.body.find("conversion webhook for example.com/v1, Kind=Ship failed: calling webhook "
                     "https://hook.default.svc/convert: no endpoints available for service"),
      std::string::npos)
      << lost.body;
  const auto slice =
      api_.ask("POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
               R"({"metadata":{"name":"hook-1","labels":{"kubernetes.io/service-name":"hook"}},)"
               R"("addressType":"IPv4","endpoints":[{"addresses":[")" +
                   address + R"("]}],"ports":[{"name":"","port":)" + std::to_string(port) + "}]}");
  ASSERT_EQ(slice.code, 201) << slice.body;
  const auto made = create("a", "dover:7");
  EXPECT_EQ(made.code, 201) << made.body;
  ASSERT_GT(webhook_.count(), 0U);
  EXPECT_EQ(webhook_.asked()[0].head.authority, "hook.default.svc");
  EXPECT_EQ(webhook_.asked()[0].head.target, "/convert?timeout=30s");
}

// A webhook that hangs keeps nobody waiting but those who need it.
TEST_F(ConversionWebhooksTest, NobodyElseWaits) {
  define();
  ASSERT_EQ(create("a", "dover:7").code, 201);
  ASSERT_EQ(post("v2", "b", R"({"port":"x"})").code, 201);
  webhook_.set_answer([](const TestWebhook::Asked&) { return std::nullopt; });
  std::vector<std::unique_ptr<http::BlockingCall>> waiting;
  waiting.push_back(api_.open(kOld));
  waiting.push_back(api_.open(std::string(kOld) + "?watch=true"));
  waiting.push_back(api_.open(std::string(kOld) + "/b"));
  ASSERT_TRUE(testkit::holds_within(kPatience, [&] { return webhook_.count() >= 5; }));
  EXPECT_EQ(get(std::string(kNew) + "/b", "spec.port"), R"("x")");
  EXPECT_EQ(api_.ask("GET", "/api/v1/namespaces/default").code, 200);
  EXPECT_EQ(api_.ask("DELETE", std::string(kNew) + "/b").code, 200);
}

TEST_F(ConversionWebhooksTest, OnlySomeMayWait) {
  define();
  ASSERT_EQ(post("v2", "b", R"({"port":"x"})").code, 201);
  webhook_.set_answer([](const TestWebhook::Asked&) { return std::nullopt; });
  std::vector<std::unique_ptr<http::BlockingCall>> waiting;
  const HookClients::Limits limits;
  for (size_t i = 0; i < limits.calls_per_hook; ++i)
    waiting.push_back(api_.open(std::string(kOld) + "/b"));
  ASSERT_TRUE(
      testkit::holds_within(kPatience, [&] { return webhook_.count() >= limits.calls_per_hook; }));
  const auto refused = api_.ask("GET", std::string(kOld) + "/b");
  EXPECT_EQ(refused.code, 429) << refused.body;
  EXPECT_EQ(refused.headers.get("retry-after"), "1");
}

TEST_F(ConversionWebhooksTest, FailuresSayWhy) {
  define();
  webhook_.set_answer([](const TestWebhook::Asked&) { return TestWebhook::json("{}", 500); });
  const auto refused = create("a", "dover:7");
  EXPECT_EQ(refused.code, 500);
  EXPECT_NE(refused.body.find("conversion webhook for example.com/v1, Kind=Ship failed: "),
            std::string::npos)
      << refused.body;
  EXPECT_EQ(get(kNew, "items"), "[]");
  const auto failure = [&](const http::Response& answer) {
    webhook_.set_answer([answer](const TestWebhook::Asked&) { return answer; });
    const json::Document status = json::parse(create("a", "dover:7").body).value();
    return std::string(View(status.root())["message"].text());
  };
  const std::string failed = "conversion webhook for example.com/v1, Kind=Ship failed: ";
  EXPECT_EQ(failure(TestWebhook::json(
                R"({"kind":"Status","status":"Failure","message":"the harbour is closed"})", 500)),
            failed + "the harbour is closed");
  EXPECT_EQ(failure(TestWebhook::json("")),
            failed + "0-length response with status code: 200 and content type: application/json");
}

TEST_F(ConversionWebhooksTest, ConversionsAreCounted) {
  define();
  ASSERT_EQ(create("a", "dover:7").code, 201);
  webhook_.set_answer([](const TestWebhook::Asked&) { return TestWebhook::json("{}", 500); });
  EXPECT_EQ(create("b", "dover:7").code, 500);
  const auto answers = [](const std::string& answer) {
    return [answer](const TestWebhook::Asked& asked) {
      const json::Document question = json::parse(asked.body).value();
      return TestWebhook::json(
          R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":")" +
          std::string(View(question.root())["request"]["uid"].text()) + "\"," + answer + "}}");
    };
  };
  webhook_.set_answer(answers(R"("result":{"status":"Failure"})"));
  EXPECT_EQ(create("b", "dover:7").code, 500);
  webhook_.set_answer(answers(R"("result":{"status":"Success"},"convertedObjects":[])"));
  EXPECT_EQ(create("b", "dover:7").code, 500);
  webhook_.set_answer(answers(R"("result":{"status":"Success"},"convertedObjects":[{}])"));
  EXPECT_EQ(create("b", "dover:7").code, 500);
  const std::string text = api_.ask("GET", "/metrics").body;
  const std::string failed =
      R"(apiserver_conversion_webhook_request_total{result="failure",failure_type=)";
  for (const char* type :
       {"call", "malformed_response", "partial_response", "invalid_converted_object"}) {
    SCOPED_TRACE(type);
    EXPECT_NE(text.find(failed + "\"conversion_webhook_" + type + "_failure\"} 1\n"),
              std::string::npos);
  }
  EXPECT_NE(text.find(R"(apiserver_conversion_webhook_request_total{result="success",)"),
            std::string::npos);
  EXPECT_NE(text.find(R"(apiserver_crd_conversion_webhook_duration_seconds_count{)"
                      R"(crd_name="ships.example.com",from_version="v1",to_version="v2",)"
                      R"(succeeded="false"} 4)"),
            std::string::npos);
}

}  // namespace
}  // namespace proa::apiserver
