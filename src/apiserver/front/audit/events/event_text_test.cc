#include "apiserver/front/audit/events/event_text.h"

#include <gtest/gtest.h>

#include "apiserver/front/audit/events/source_ips.h"
#include "apiserver/representation/status.h"
#include "json/parse.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver::audit {
namespace {

using testkit::FakeClock;

UserPtr jane() {
  return std::make_shared<const User>(User{.name = "jane",
                                           .uid = "u1",
                                           .groups = {"devs", "system:authenticated"},
                                           .extra = {{"zeta", {"2"}}, {"alpha", {"0", "1"}}}});
}

RequestFacts facts(Level level) {
  RequestFacts facts;
  facts.level = level;
  facts.audit_id = "a-1";
  facts.uri = "/api/v1/namespaces/default/configmaps?fieldManager=x&pretty=<y>";
  facts.verb = "create";
  facts.user = jane();
  facts.peer = "192.0.2.9";
  facts.user_agent = "kubectl/v1.36";
  facts.object = ObjectReference{.resource = "configmaps",
                                 .name_space = "default",
                                 .name = {},
                                 .uid = {},
                                 .group = {},
                                 .version = "v1",
                                 .resource_version = {},
                                 .subresource = {}};
  facts.received = FakeClock::kStart;
  return facts;
}

Event event_of(RequestFacts request, Stage stage = Stage::kResponseComplete) {
  Event event;
  event.request = std::make_shared<const RequestFacts>(std::move(request));
  event.stage = stage;
  event.at = FakeClock::kStart + std::chrono::microseconds(1234);
  return event;
}

SentBody sent(std::string text, bool is_object, std::string type = "application/json") {
  SentBody body{
      .content_type = std::move(type), .parts = {}, .size = text.size(), .is_object = is_object};
  body.parts.push_back(Bytes(std::move(text)));
  return body;
}

constexpr const char* kBegin =
    R"("auditID":"a-1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/default/configmaps?fieldManager=x\u0026pretty=\u003cy\u003e","verb":"create","user":{"username":"jane","uid":"u1","groups":["devs","system:authenticated"],"extra":{"alpha":["0","1"],"zeta":["2"]}},)";
constexpr const char* kEnd =
    R"("requestReceivedTimestamp":"2026-01-02T15:04:05.000000Z","stageTimestamp":"2026-01-02T15:04:05.001234Z")";

TEST(EventText, MetadataHasNoObjects) {
  Event event = event_of(facts(Level::kMetadata));
  event.names.name = "a";
  event.code = 201;
  event.request_object = R"({"data":{"secret":"canary"}})";
  event.body = sent(R"({"kind":"ConfigMap","apiVersion":"v1","data":{"secret":"canary"}})", true);
  event.access = {.allowed = true, .reason = "RBAC: \"<x>\""};
  EXPECT_EQ(
      event_json(event),
      std::string(R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata",)") +
          kBegin +
          R"("sourceIPs":["192.0.2.9"],"userAgent":"kubectl/v1.36","objectRef":{"resource":"configmaps","namespace":"default","name":"a","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":201},)" +
          kEnd +
          R"(,"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"RBAC: \"\u003cx\u003e\""}})");
}

TEST(EventText, RequestWasReceived) {
  RequestFacts request = facts(Level::kMetadata);
  request.object = std::nullopt;
  request.user = nullptr;
  request.user_agent = "";
  request.peer = "";
  request.uri = "/healthz";
  request.verb = "get";
  Event event = event_of(std::move(request), Stage::kRequestReceived);
  event.at = FakeClock::kStart;
  EXPECT_EQ(
      event_json(event, WithType::kNo),
      R"({"level":"Metadata","auditID":"a-1","stage":"RequestReceived","requestURI":"/healthz","verb":"get","user":{},"requestReceivedTimestamp":"2026-01-02T15:04:05.000000Z","stageTimestamp":"2026-01-02T15:04:05.000000Z"})");
}

TEST(EventText, RequestShowsTheRequestsObjectOnly) {
  Event event = event_of(facts(Level::kRequest));
  event.code = 201;
  event.request_object = R"({"kind":"ConfigMap","metadata":{"managedFields":[{}]}})";
  event.body = sent(R"({"kind":"ConfigMap","apiVersion":"v1"})", true);
  const std::string text = event_json(event);
  EXPECT_NE(
      text.find(
          R"("code":201},"requestObject":{"kind":"ConfigMap","metadata":{"managedFields":[{}]}},"requestReceived)"),
      std::string::npos)
      << text;
}

TEST(EventText, RequestResponseShowsBoth) {
  RequestFacts request = facts(Level::kRequestResponse);
  request.omits_managed_fields = true;
  Event event = event_of(std::move(request));
  event.code = 201;
  event.request_object = R"({"kind":"ConfigMap","metadata":{"name":"a","managedFields":[{}]}})";
  event.body =
      sent(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","managedFields":[{}]}})"
           "\n",
           true);
  const std::string text = event_json(event);
  EXPECT_NE(
      text.find(
          R"("requestObject":{"kind":"ConfigMap","metadata":{"name":"a"}},"responseObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}},)"),
      std::string::npos)
      << text;
}

TEST(EventText, OmitsManagedFieldsOfListsAndTables) {
  RequestFacts request = facts(Level::kRequestResponse);
  request.omits_managed_fields = true;
  Event event = event_of(std::move(request));
  event.code = 200;
  event.body = sent(
      R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"managedFields":[1]}}]})", true);
  EXPECT_NE(event_json(event).find(R"("items":[{"metadata":{}}])"), std::string::npos);
  event.body = sent(
      R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":[],"object":{"metadata":{"managedFields":[1]}}}]})",
      true);
  EXPECT_NE(event_json(event).find(R"("object":{"metadata":{}})"), std::string::npos);
}

TEST(EventText, FailureTellsItsStatusInAnyEncoding) {
  StatusDetails details;
  details.name = "a";
  details.kind = "configmaps";
  const Status status =
      Status(Reason::kNotFound, "configmaps \"a\" not found").with_details(std::move(details));
  const std::string expected =
      R"("responseStatus":{"metadata":{},"status":"Failure","message":"configmaps \"a\" not found","reason":"NotFound","details":{"name":"a","kind":"configmaps"},"code":404})";
  for (const char* accept :
       {"application/json", "application/vnd.kubernetes.protobuf", "application/yaml"}) {
    SCOPED_TRACE(accept);
    const http::Response response = status_response(status, accept);
    Event event = event_of(facts(Level::kMetadata));
    event.code = response.status;
    event.body =
        sent(response.body.str(), false, std::string(response.headers.get("content-type")));
    EXPECT_NE(event_json(event).find(expected), std::string::npos) << event_json(event);
    EXPECT_EQ(event_json(event).find("responseObject"), std::string::npos);
  }
}

TEST(EventText, BodiesThatAreNoObjectsAreNotShown) {
  Event event = event_of(facts(Level::kRequestResponse));
  event.code = 404;
  event.body = sent("404 page not found\n", true, "text/plain");
  EXPECT_EQ(event_json(event).find("responseObject"), std::string::npos);
  EXPECT_NE(event_json(event).find(R"("responseStatus":{"metadata":{},"code":404})"),
            std::string::npos);
  event.body = sent(R"({"major":"1"})", true);
  EXPECT_EQ(event_json(event).find("responseObject"), std::string::npos);
}

TEST(EventText, PatchIsShownAsItWasSent) {
  Event event = event_of(facts(Level::kRequest));
  event.code = 200;
  event.patch = Bytes(std::string(R"({ "data": {"b": "1", "a": "2"} })"));
  EXPECT_NE(event_json(event).find(R"("requestObject":{"data":{"b":"1","a":"2"}})"),
            std::string::npos);
  event.patch = Bytes(std::string("data:\n  a: b\n"));
  EXPECT_NE(event_json(event).find(R"("requestObject":{"data":{"a":"b"}})"), std::string::npos);
}

TEST(EventText, ImpersonatedUserFollowsTheUser) {
  Event event = event_of(facts(Level::kMetadata));
  event.impersonated =
      std::make_shared<const User>(User{.name = "ann", .uid = {}, .groups = {"g"}, .extra = {}});
  event.impersonation_constraint = "impersonate:user-info";
  EXPECT_NE(
      event_json(event).find(
          R"(,"impersonatedUser":{"username":"ann","groups":["g"]},"authenticationMetadata":{"impersonationConstraint":"impersonate:user-info"},"sourceIPs")"),
      std::string::npos);
}

TEST(EventText, TruncatedEventsSaySo) {
  Event event = event_of(facts(Level::kRequestResponse));
  event.code = 200;
  event.request_object = R"({"data":"large"})";
  event.body = sent(R"({"kind":"ConfigMap","apiVersion":"v1"})", true);
  event.access = {.allowed = false, .reason = ""};
  event.annotations = {{"a", "first"}};
  const std::string text = event_json(event, WithType::kYes, WithObjects::kNo);
  EXPECT_EQ(text.find("requestObject"), std::string::npos);
  EXPECT_EQ(text.find("responseObject"), std::string::npos);
  EXPECT_TRUE(text.ends_with(
      R"("annotations":{"a":"first","audit.k8s.io/truncated":"true","authorization.k8s.io/decision":"forbid","authorization.k8s.io/reason":""}})"))
      << text;
  event.annotations.clear();
  event.access.reset();
  EXPECT_TRUE(event_json(event, WithType::kYes, WithObjects::kNo)
                  .ends_with(R"("annotations":{"audit.k8s.io/truncated":"true"}})"));
}

TEST(EventText, LegacyLine) {
  Event event = event_of(facts(Level::kMetadata));
  event.code = 201;
  EXPECT_EQ(
      event_line(event),
      R"(2026-01-02T15:04:05.000000Z AUDIT: id="a-1" stage="ResponseComplete" ip="192.0.2.9" method="create" user="jane" groups="\"devs\",\"system:authenticated\"" as="<self>" asgroups="<lookup>" user-agent="kubectl/v1.36" namespace="default" uri="/api/v1/namespaces/default/configmaps?fieldManager=x&pretty=<y>" response="201")");
  event.code = 0;
  EXPECT_TRUE(event_line(event).ends_with(R"(response="<deferred>")"));
}

TEST(SourceIps, FollowUpstreamsOrder) {
  struct Case {
    const char* forwarded;
    const char* real;
    const char* peer;
    std::vector<std::string> found;
  };
  const Case cases[] = {
      {"", "", "192.0.2.1", {"192.0.2.1"}},
      {"", "", "::1", {"::1"}},
      {"", "", "", {}},
      {"10.0.0.1, 10.0.0.2", "", "192.0.2.1", {"10.0.0.1", "10.0.0.2", "192.0.2.1"}},
      {"10.0.0.1,nonsense, ", "", "192.0.2.1", {"10.0.0.1", "192.0.2.1"}},
      {"10.0.0.1, 192.0.2.1", "", "192.0.2.1", {"10.0.0.1", "192.0.2.1"}},
      {"10.0.0.1", "10.0.0.1", "192.0.2.1", {"10.0.0.1", "192.0.2.1"}},
      {"10.0.0.1", "10.0.0.3", "192.0.2.1", {"10.0.0.1", "10.0.0.3", "192.0.2.1"}},
      {"", "192.0.2.1", "192.0.2.1", {"192.0.2.1"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.forwarded);
    RequestFacts request;
    request.forwarded_for = c.forwarded;
    request.real_ip = c.real;
    request.peer = c.peer;
    EXPECT_EQ(source_ips(request), c.found);
  }
}

}  // namespace
}  // namespace proa::apiserver::audit
