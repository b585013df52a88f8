#include "apiserver/front/http/gate.h"

#include <gtest/gtest.h>

#include <deque>

#include "api/object/view.h"
#include "base/encoding.h"
#include "json/parse.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/apiserver/test_webhook.h"
#include "testkit/http/http2_client.h"
#include "testkit/patience.h"

namespace proa::apiserver {
namespace gate_test {

using testkit::Http2Client;

constexpr std::chrono::seconds kPatience(20);
constexpr const char* kSchemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
constexpr const char* kLevels = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
constexpr const char* kDump = "/debug/api_priority_and_fairness/";
constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kShip = "/apis/example.com/v1/namespaces/default/ships/a";
constexpr const char* kSchemaUid = "x-kubernetes-pf-flowschema-uid";
constexpr const char* kLevelUid = "x-kubernetes-pf-prioritylevel-uid";

// A server of so few seats that the level global-default, to which Jane belongs, has one. Who reads
// the ship waits for a webhook that does not answer, and holds the seat.
class GateTest : public testing::Test {
 protected:
  void SetUp() override {
    api_.allow_everything_to("developers");
    // Lends nothing and borrows nothing.
    const auto fixed = api_.ask("PATCH", std::string(kLevels) + "/global-default",
                                R"({"metadata":{"annotations":{
        "apf.kubernetes.io/autoupdate-spec":"false"}},"spec":{"limited":{"lendablePercent":0,
        "borrowingLimitPercent":0}}})",
                                {{"content-type", "application/merge-patch+json"}});
    ASSERT_EQ(fixed.code, 200) << fixed.body;
  }

  void define_ships() {
    constexpr const char* kNames =
        R"("plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList")";
    constexpr const char* kVersion =
        R"("schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})";
    const auto made = api_.ask(
        "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        std::string(
            R"({"metadata":{"name":"ships.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{)") +
            kNames + R"(},"versions":[{"name":"v1","served":true,"storage":false,)" + kVersion +
            R"(,{"name":"v2","served":true,"storage":true,)" + kVersion +
            R"(],"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
            R"("clientConfig":{"url":")" +
            webhook_.connection("/convert").server + R"(","caBundle":")" +
            to_base64(TestCertificates::get().authority.certificate_pem) + R"("}}}}})");
    ASSERT_EQ(made.code, 201) << made.body;
    const auto accepted = api_.ask(
        "PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ships.example.com/status",
        std::string(R"({"status":{"acceptedNames":{)") + kNames +
            R"(},"conditions":[{"type":"NamesAccepted","status":"True"},)"
            R"({"type":"Established","status":"True"}]}})",
        {{"content-type", "application/merge-patch+json"}});
    ASSERT_EQ(accepted.code, 200) << accepted.body;
    const auto ship =
        api_.ask("POST", "/apis/example.com/v2/namespaces/default/ships",
                 R"({"kind":"Ship","apiVersion":"example.com/v2","metadata":{"name":"a"}})");
    ASSERT_EQ(ship.code, 201) << ship.body;
  }
  // As Jane, until release_seat().
  void take_seat() {
    define_ships();
    holder_ =
        std::make_unique<Http2Client>(api_.port(), api_.client_certificate("jane", "developers"));
    holder_->ask("GET", kShip);
    ASSERT_TRUE(testkit::holds_within(kPatience, [&] { return webhook_.count() > 0; }));
  }
  void release_seat() { webhook_.answer_held({.status = 500, .headers = {}, .body = {}}); }

  std::string uid_of(const std::string& target) {
    const auto document = json::parse(api_.ask("GET", target).body);
    return std::string(api::View(document->root())["metadata"]["uid"].text());
  }
  std::string dump(const std::string& what) { return api_.ask("GET", kDump + what).body; }
  // A figure of a level in the dump.
  std::string figure(const std::string& level, size_t column) {
    const std::string all = dump("dump_priority_levels");
    size_t at = all.find("\n" + level + ",");
    if (at == std::string::npos) return "none";
    for (size_t i = 0; i < column; ++i) at = all.find(',', at) + 1;
    const size_t begin = all.find_first_not_of(' ', at);
    return all.substr(begin, all.find_first_of(",\n", begin) - begin);
  }
  bool waits(const std::string& count) {
    return testkit::holds_within(kPatience, [&] { return figure("global-default", 4) == count; });
  }
  std::string metrics() { return api_.ask("GET", "/metrics").body; }

  TestWebhook webhook_{[](const TestWebhook::Asked&) { return std::nullopt; }};
  WebhookEnvironment environment_;
  testkit::RunningApi api_{testkit::RunningApi::Options{
      .in_flight = {.read_only = 5, .mutating = 5}, .webhooks = &environment_.context}};
  Http2Client jane_{api_.port(), api_.client_certificate("jane", "developers")};
  std::unique_ptr<Http2Client> holder_;
};

TEST_F(GateTest, NamesTheFlowInEveryResponse) {
  const auto exempt = api_.ask("GET", kMaps);
  EXPECT_EQ(exempt.headers.get(kSchemaUid), uid_of(std::string(kSchemas) + "/exempt"));
  EXPECT_EQ(exempt.headers.get(kLevelUid), uid_of(std::string(kLevels) + "/exempt"));
  const auto& hers = jane_.wait(jane_.ask("GET", kMaps));
  EXPECT_EQ(hers.status, 200);
  EXPECT_EQ(hers.headers.get(kSchemaUid), uid_of(std::string(kSchemas) + "/global-default"));
  EXPECT_EQ(hers.headers.get(kLevelUid), uid_of(std::string(kLevels) + "/global-default"));
  EXPECT_TRUE(jane_.wait(jane_.ask("GET", "/version")).headers.has(kSchemaUid));
  EXPECT_TRUE(jane_.wait(jane_.ask("GET", "/nowhere")).headers.has(kSchemaUid));
  Http2Client joe(api_.port(), api_.client_certificate("joe", "guests"));
  const auto& forbidden = joe.wait(joe.ask("GET", kMaps));
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_EQ(forbidden.headers.get("x-content-type-options"), "nosniff");
  EXPECT_FALSE(hers.headers.has("x-content-type-options"));
  EXPECT_EQ(forbidden.headers.get(kLevelUid), uid_of(std::string(kLevels) + "/global-default"));
}

TEST_F(GateTest, NamesTheFlowAlsoOfWhatItDoesNotLetIn) {
  const struct {
    const char* method;
    std::string target;
    int status;
    http::Headers headers;
  } cases[] = {
      {"GET", "/api/v1/namespaces/default/nothings", 404, {}},
      {"GET", "/apis/nowhere.example.com/v1/things", 404, {}},
      {"GET", kMaps, 406, {{"accept", "text/html"}}},
      {"GET", std::string(kMaps) + "?limit=x", 400, {}},
      {"GET", std::string(kMaps) + "?resourceVersionMatch=Exact", 422, {}},
  };
  const std::string uid = uid_of(std::string(kSchemas) + "/global-default");
  for (const auto& c : cases) {
    SCOPED_TRACE(c.target);
    const auto& answer = jane_.wait(jane_.ask(c.method, c.target, true, c.headers));
    EXPECT_EQ(answer.status, c.status) << answer.body;
    EXPECT_EQ(answer.headers.get(kSchemaUid), uid);
  }
}

TEST_F(GateTest, RequestsWaitForASeat) {
  take_seat();
  const http::StreamId get = jane_.ask("GET", kMaps);
  const http::StreamId create =
      jane_.ask("POST", kMaps, false, {{"content-type", "application/json"}});
  jane_.send(create, R"({"metadata":{"name":"m"}})");
  jane_.end(create);
  jane_.flush();
  ASSERT_TRUE(waits("2"));
  EXPECT_EQ(figure("global-default", 5), "1") << "executing";
  EXPECT_NE(dump("dump_requests").find("jane"), std::string::npos);
  EXPECT_NE(dump("dump_requests?includeRequestDetails=1").find(kMaps), std::string::npos);
  EXPECT_EQ(api_.ask("GET", std::string(kMaps) + "/m").code, 404) << "masters do not wait";
  release_seat();
  EXPECT_EQ(jane_.wait(get).status, 200);
  EXPECT_EQ(jane_.wait(create).status, 201);
  EXPECT_TRUE(waits("0"));
}

TEST_F(GateTest, WhoWaitsForTooLongIsRejected) {
  take_seat();
  const http::StreamId get = jane_.ask("GET", kMaps);
  const http::StreamId hasty = jane_.ask("GET", std::string(kMaps) + "?timeout=4s");
  ASSERT_TRUE(waits("2"));
  api_.clock().advance(std::chrono::seconds(1));
  const auto& answer = jane_.wait(hasty);
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.headers.get("retry-after"), "1");
  EXPECT_EQ(answer.body, "Too many requests, please try again later.\n");
  EXPECT_EQ(answer.headers.get(kLevelUid), uid_of(std::string(kLevels) + "/global-default"));
  EXPECT_TRUE(waits("1"));
  api_.clock().advance(std::chrono::seconds(14));
  EXPECT_EQ(jane_.wait(get).status, 429);
  EXPECT_NE(metrics().find("apiserver_flowcontrol_rejected_requests_total{priority_level=\"global-"
                           "default\",flow_schema=\"global-default\",reason=\"time-out\"} 2"),
            std::string::npos);
}

TEST_F(GateTest, WhoGoesAwayIsForgotten) {
  take_seat();
  auto other =
      std::make_unique<Http2Client>(api_.port(), api_.client_certificate("jane", "developers"));
  other->ask("GET", kMaps);
  const http::StreamId cancelled = jane_.ask("GET", kMaps);
  ASSERT_TRUE(waits("2"));
  jane_.reset(cancelled);
  jane_.flush();
  EXPECT_TRUE(waits("1"));
  other.reset();
  EXPECT_TRUE(waits("0"));
  EXPECT_EQ(figure("global-default", 9), "2");
  EXPECT_NE(metrics().find("apiserver_current_inflight_requests{request_kind=\"readOnly\"} 1"),
            std::string::npos)
      << metrics();
}

TEST_F(GateTest, FullQueuesReject) {
  take_seat();
  // Six queues of 50 for a flow.
  std::deque<Http2Client> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back(api_.port(), api_.client_certificate("jane", "developers"));
  for (size_t i = 0; i < 310; ++i) clients[i % clients.size()].ask("GET", kMaps);
  for (Http2Client& client : clients) client.flush();
  EXPECT_TRUE(
      testkit::holds_within(kPatience, [&] { return figure("global-default", 7) == "10"; }));
  EXPECT_TRUE(waits("300"));
  EXPECT_NE(metrics().find("reason=\"queue-full\"} 10"), std::string::npos);
  // Another flow has other queues.
  Http2Client joe(api_.port(), api_.client_certificate("joe", "developers"));
  joe.ask("GET", kMaps);
  joe.flush();
  EXPECT_TRUE(waits("301"));
}

// The list is sent no faster for that.
TEST_F(GateTest, AClientsTimeoutFreesNoSeatsOfALongList) {
  for (int i = 0; i < 250; ++i) {
    const std::string text(2'000, 'x');
    const auto made = api_.ask(
        "POST", kMaps,
        R"({"metadata":{"name":"m)" + std::to_string(i) + R"("},"data":{"text":")" + text + "\"}}");
    ASSERT_EQ(made.code, 201) << made.body;
  }
  http::Http2Limits narrow = Http2Client::generous();
  narrow.stream_window = 1000;
  Http2Client slow(api_.port(), api_.client_certificate("jane", "developers"), narrow);
  const http::StreamId list = slow.ask("GET", std::string(kMaps) + "?timeout=1ms");
  slow.hold(list);
  while (slow.answer(list).status == 0) ASSERT_TRUE(slow.read());
  api_.clock().advance(std::chrono::milliseconds(2));
  const http::StreamId get = jane_.ask("GET", std::string(kMaps) + "/m1");
  jane_.flush();
  EXPECT_TRUE(waits("1"));
  EXPECT_EQ(figure("global-default", 5), "1");
  api_.clock().advance(std::chrono::minutes(1));
  EXPECT_TRUE(waits("0"));
  EXPECT_EQ(jane_.wait(get).status, 429);
}

TEST_F(GateTest, WatchesHoldASeatOnlyToBegin) {
  const http::StreamId watch = jane_.ask("GET", std::string(kMaps) + "?watch=true");
  Http2Client other(api_.port(), api_.client_certificate("jane", "developers"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(other.wait(other.ask("GET", kMaps)).status, 200);
  ASSERT_EQ(api_.ask("POST", kMaps, R"({"metadata":{"name":"m"}})").code, 201);
  while (jane_.answer(watch).body.find(R"("name":"m")") == std::string::npos)
    ASSERT_TRUE(jane_.read());
  EXPECT_TRUE(jane_.answer(watch).headers.has(kLevelUid));
  EXPECT_EQ(figure("global-default", 5), "0");
}

TEST_F(GateTest, FollowsItsObjects) {
  take_seat();
  const auto level = api_.ask("POST", kLevels, R"({"metadata":{"name":"strict"},"spec":{
      "type":"Limited","limited":{"nominalConcurrencyShares":1,"borrowingLimitPercent":0,
      "limitResponse":{"type":"Reject"}}}})");
  ASSERT_EQ(level.code, 201) << level.body;
  const auto schema = api_.ask("POST", kSchemas, R"({"metadata":{"name":"jane"},"spec":{
      "priorityLevelConfiguration":{"name":"strict"},"matchingPrecedence":50,"rules":[{"subjects":
      [{"kind":"User","user":{"name":"jane"}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],
      "resources":["*"],"namespaces":["*"],"clusterScope":true}]}]}})");
  ASSERT_EQ(schema.code, 201) << schema.body;
  // Has a seat of its own now.
  const auto& answer = jane_.wait(jane_.ask("GET", kMaps));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get(kSchemaUid), uid_of(std::string(kSchemas) + "/jane"));
  EXPECT_EQ(figure("strict", 6), "1");
  Http2Client other(api_.port(), api_.client_certificate("jane", "developers"));
  other.ask("GET", kShip);
  ASSERT_TRUE(testkit::holds_within(kPatience, [&] { return figure("strict", 5) == "1"; }));
  EXPECT_EQ(jane_.wait(jane_.ask("GET", kMaps)).status, 429) << "no queue";
  // The schema goes, then the level once it is idle.
  ASSERT_EQ(api_.ask("DELETE", std::string(kSchemas) + "/jane").code, 200);
  ASSERT_EQ(api_.ask("DELETE", std::string(kLevels) + "/strict").code, 200);
  EXPECT_EQ(figure("strict", 3), "true") << "quiescing";
  jane_.ask("GET", kMaps);
  jane_.flush();
  EXPECT_TRUE(waits("1"));
}

TEST_F(GateTest, SaysWhichSchemasAreDangling) {
  const std::string target = std::string(kSchemas) + "/lost";
  const auto condition = [&] {
    const auto document = json::parse(api_.ask("GET", target).body);
    const api::View root(document->root());
    const api::View first = root["status"]["conditions"].item(0);
    return std::string(first["type"].text()) + "=" + std::string(first["status"].text()) + " " +
           std::string(first["reason"].text()) + ": " + std::string(first["message"].text());
  };
  const auto made = api_.ask("POST", kSchemas, R"({"metadata":{"name":"lost"},"spec":{
      "priorityLevelConfiguration":{"name":"missing"},"matchingPrecedence":50}})");
  ASSERT_EQ(made.code, 201) << made.body;
  const std::string refers =
      "This FlowSchema references the PriorityLevelConfiguration object named \"missing\" ";
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    return condition() == "Dangling=True NotFound: " + refers + "but there is no such object";
  })) << condition();
  ASSERT_EQ(api_.ask("POST", kLevels, R"({"metadata":{"name":"missing"},"spec":{"type":"Limited",
      "limited":{"limitResponse":{"type":"Reject"}}}})")
                .code,
            201);
  // Not written twice within ten seconds.
  EXPECT_TRUE(testkit::holds_within(kPatience, [&] {
    api_.clock().advance(std::chrono::seconds(1));
    return condition() == "Dangling=False Found: " + refers + "and it exists";
  })) << condition();
}

TEST_F(GateTest, DumpsItsState) {
  const std::string levels = dump("dump_priority_levels");
  EXPECT_EQ(levels.substr(0, levels.find('\n')),
            "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, "
            "ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, "
            "CancelledRequests");
  EXPECT_EQ(figure("catch-all", 2), "true");
  const std::string queues = dump("dump_queues");
  EXPECT_NE(queues.find("leader-election,   15,     0,               0,                 0,     "
                        "     0.00000000ss,  0,               0,           0.00000000ss"),
            std::string::npos)
      << queues.substr(0, 500);
  // The request that asks is one of them.
  EXPECT_NE(dump("dump_requests").find("exempt,            exempt,         -1,         -1,"),
            std::string::npos)
      << dump("dump_requests");
}

// Of more than a megabyte: lists from memory cost no more than that.
TEST_F(GateTest, WhatAListCostsDependsOnItsVersionMatch) {
  for (const char* name : {"a", "b"}) {
    const std::string text(900'000, 'x');
    const auto made = api_.ask(
        "POST", kMaps,
        R"({"metadata":{"name":")" + std::string(name) + R"("},"data":{"text":")" + text + "\"}}");
    ASSERT_EQ(made.code, 201) << made.body;
  }
  const auto seats = [&] {
    const std::string all = metrics();
    const std::string line =
        "apiserver_flowcontrol_work_estimated_seats_sum{priority_level=\"exempt\",flow_schema="
        "\"exempt\"} ";
    const size_t at = all.find(line);
    return at == std::string::npos ? 0 : std::atoi(all.c_str() + at + line.size());
  };
  const auto cost_of = [&](const std::string& query) {
    const int before = seats();  // this costs one, too
    EXPECT_EQ(api_.ask("GET", kMaps + query).code, 200);
    return seats() - before - 1;
  };
  const std::string current = "?resourceVersion=" + std::to_string(api_.store().revision().value);
  EXPECT_EQ(cost_of(current + "&resourceVersionMatch=NotOlderThan"), 10);
  EXPECT_GT(cost_of(current + "&resourceVersionMatch=Exact"), 15);
}

TEST_F(GateTest, HasUpstreamsMetrics) {
  EXPECT_EQ(jane_.wait(jane_.ask("GET", kMaps)).status, 200);
  const std::string text = metrics();
  const std::string hers = "{priority_level=\"global-default\",flow_schema=\"global-default\"} ";
  for (const std::string& line : std::initializer_list<std::string>{
           "apiserver_flowcontrol_dispatched_requests_total" + hers + "1",
           "apiserver_flowcontrol_current_inqueue_requests" + hers + "0",
           "apiserver_flowcontrol_current_executing_requests" + hers + "0",
           "apiserver_flowcontrol_current_executing_seats" + hers + "0",
           "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"global-default\"} 1",
           "apiserver_flowcontrol_lower_limit_seats{priority_level=\"global-default\"} 1",
           "apiserver_flowcontrol_upper_limit_seats{priority_level=\"global-default\"} 1",
           "apiserver_flowcontrol_current_limit_seats{priority_level=\"global-default\"} 1",
           "apiserver_flowcontrol_request_wait_duration_seconds_count{priority_level=\"global-"
           "default\",flow_schema=\"global-default\",execute=\"true\"} 1",
           "apiserver_flowcontrol_request_execution_seconds_count{priority_level=\"global-"
           "default\",flow_schema=\"global-default\",type=\"regular\"} 1",
           "apiserver_flowcontrol_demand_seats_smoothed{priority_level=\"global-default\"}",
           "apiserver_flowcontrol_seat_fair_frac "}) {
    EXPECT_NE(text.find("\n" + line), std::string::npos) << line;
  }
}

TEST(Gate, IsOpenWithoutFairness) {
  testkit::RunningApi api(testkit::RunningApi::Options{.fairness = false});
  EXPECT_FALSE(api.ask("GET", kMaps).headers.has(kSchemaUid));
  EXPECT_EQ(api.ask("GET", std::string(kDump) + "dump_queues").code, 404);
  EXPECT_EQ(api.ask("GET", "/metrics").body.find("apiserver_flowcontrol"), std::string::npos);
}

}  // namespace gate_test
}  // namespace proa::apiserver
