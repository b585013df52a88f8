#include "apiserver/front/audit/auditor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "api/schema/builtin.h"
#include "apiserver/front/audit/events/policy_file.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/http/http2_client.h"

namespace proa::apiserver::audit {
namespace {

using api::View;
using testkit::RunningApi;

constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kMap = R"({"metadata":{"name":"a"},"data":{"text":"canary"}})";

// An API server whose events go to a file.
class AuditorTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/auditor_" +
            testing::UnitTest::GetInstance()->current_test_info()->name() + ".log";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // `rules` in YAML's short form.
  void start(const std::string& rules, Mode mode = Mode::kBlocking, std::string path = {}) {
    std::vector<std::string> ignored;
    Options options{
        .policy = read_policy("{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [" + rules + "]}",
                              ignored)
                      .value()};
    options.gather = Duration::zero();
    options.log.emplace();
    options.log->file = {.path = path.empty() ? path_ : std::move(path),
                         .max_age_days = 0,
                         .max_backups = 0,
                         .max_bytes = 0};
    options.log->mode = mode;
    api_.emplace(RunningApi::Options{.audit = std::move(options)});
  }
  RunningApi::Answer ask(std::string_view method, std::string_view target,
                         std::string_view body = {}, http::Headers headers = {}) {
    headers.add("audit-id", "asked-" + std::to_string(asked_++));
    headers.add("user-agent", "test");
    return api_->ask(method, target, body, headers);
  }
  // Ends the server, and reads the events with IDs that begin so, by request.
  std::vector<json::Document> events(std::string_view id = "asked") {
    api_.reset();
    std::ifstream in(path_);
    text_ = {std::istreambuf_iterator<char>(in), {}};
    std::vector<json::Document> found;
    for (const std::string_view line : split(text_, '\n')) {
      if (line.empty()) continue;
      json::Document event = json::parse(line).value();
      if (id_of(event).starts_with(id)) found.push_back(std::move(event));
    }
    // The end of a request may be written after the beginning of the next.
    if (!id.empty()) {
      std::ranges::stable_sort(found, [](const json::Document& a, const json::Document& b) {
        return id_of(a) < id_of(b);
      });
    }
    return found;
  }
  static std::string_view id_of(const json::Document& event) {
    return View(event.root())["auditID"].text();
  }
  static std::string stages(const std::vector<json::Document>& events) {
    std::string all;
    for (const json::Document& event : events)
      all += std::string(View(event.root())["stage"].text()) + " ";
    return all;
  }
  static std::string at(const json::Document& event, std::string_view path) {
    const View value = View(event.root()).at(path);
    return value.exists() ? json::print(*value.value()) : "";
  }

  std::string path_;
  std::string text_;  // of the file
  int asked_ = 0;
  std::optional<RunningApi> api_;
};

TEST_F(AuditorTest, MetadataTellsNothingOfSecrets) {
  start("{level: Metadata}");
  const auto created = ask("POST", "/api/v1/namespaces/default/secrets",
                           R"({"metadata":{"name":"s"},"stringData":{"password":"canary"}})");
  ASSERT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(ask("GET", "/api/v1/namespaces/default/secrets/s").code, 200);
  EXPECT_EQ(ask("GET", "/api/v1/secrets").code, 200);
  EXPECT_EQ(ask("PATCH", "/api/v1/namespaces/default/secrets/s",
                R"({"stringData":{"password":"canary"}})",
                {{"content-type", "application/merge-patch+json"}})
                .code,
            200);
  const std::vector<json::Document> found = events();
  ASSERT_EQ(found.size(), 8u);
  EXPECT_EQ(text_.find("canary"), std::string::npos);
  EXPECT_EQ(text_.find("Y2FuYXJ5"), std::string::npos);  // in base64
  EXPECT_EQ(text_.find("requestObject"), std::string::npos);
  EXPECT_EQ(stages(found).substr(0, 33), "RequestReceived ResponseComplete ");
  EXPECT_EQ(at(found[0], "objectRef"),
            R"({"resource":"secrets","namespace":"default","apiVersion":"v1"})");
  EXPECT_EQ(at(found[0], "responseStatus"), "");
  EXPECT_EQ(at(found[1], "objectRef"),
            R"({"resource":"secrets","namespace":"default","name":"s","apiVersion":"v1"})");
  EXPECT_EQ(at(found[1], "responseStatus"), R"({"metadata":{},"code":201})");
  EXPECT_EQ(at(found[1], "verb"), R"("create")");
  EXPECT_EQ(at(found[1], "user.username"), R"("admin")");
  EXPECT_EQ(at(found[1], "sourceIPs"), R"(["127.0.0.1"])");
  EXPECT_EQ(at(found[1], "userAgent"), R"("test")");
  EXPECT_EQ(at(found[1], "requestURI"), R"("/api/v1/namespaces/default/secrets")");
  EXPECT_EQ(View(found[1].root())["annotations"]["authorization.k8s.io/decision"].text(), "allow");
}

TEST_F(AuditorTest, RequestShowsTheObjectWithDefaults) {
  start("{level: Request, omitStages: [RequestReceived]}");
  const auto created = ask("POST", "/api/v1/namespaces/default/services",
                           R"({"metadata":{"name":"web"},"spec":{"ports":[{"port":80}]}})");
  ASSERT_EQ(created.code, 201) << created.body;
  const std::vector<json::Document> found = events();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(at(found[0], "requestObject.spec.type"), R"("ClusterIP")");
  EXPECT_EQ(at(found[0], "requestObject.kind"), R"("Service")");
  // Before admission and allocation.
  EXPECT_EQ(at(found[0], "requestObject.spec.clusterIP"), "");
  EXPECT_EQ(at(found[0], "requestObject.metadata.uid"), "");
  EXPECT_EQ(at(found[0], "responseObject"), "");
}

TEST_F(AuditorTest, RequestResponseShowsBoth) {
  start("{level: RequestResponse, omitStages: [RequestReceived], omitManagedFields: true}");
  ASSERT_EQ(ask("POST", kMaps, kMap).code, 201);
  ASSERT_EQ(ask("GET", kMaps, {}, {{"accept", "application/vnd.kubernetes.protobuf"}}).code, 200);
  ASSERT_EQ(ask("PATCH", std::string(kMaps) + "/a", R"({"data":{"b":"1"}})",
                {{"content-type", "application/merge-patch+json"}})
                .code,
            200);
  ASSERT_EQ(ask("DELETE", std::string(kMaps) + "/a", R"({"propagationPolicy":"Background"})").code,
            200);
  const std::vector<json::Document> found = events();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(at(found[0], "requestObject.data.text"), R"("canary")");
  EXPECT_NE(at(found[0], "responseObject.metadata.uid"), "");
  EXPECT_EQ(text_.find("managedFields"), std::string::npos);
  EXPECT_EQ(at(found[1], "requestObject"), "");
  EXPECT_EQ(at(found[1], "responseObject.kind"), R"("ConfigMapList")");
  EXPECT_EQ(at(found[2], "requestObject"), R"({"data":{"b":"1"}})");
  EXPECT_EQ(at(found[2], "responseObject.data.b"), R"("1")");
  EXPECT_EQ(at(found[3], "requestObject.propagationPolicy"), R"("Background")");
  EXPECT_EQ(at(found[3], "responseStatus.status"), R"("Success")");
  EXPECT_EQ(at(found[3], "responseStatus.details.name"), R"("a")");
  EXPECT_EQ(at(found[3], "responseObject.kind"), R"("Status")");
}

TEST_F(AuditorTest, FailuresTellTheirStatus) {
  start("{level: Metadata, omitStages: [RequestReceived]}");
  EXPECT_EQ(ask("GET", std::string(kMaps) + "/none").code, 404);
  EXPECT_EQ(ask("GET", "/nowhere").code, 404);
  const std::vector<json::Document> found = events();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(
      at(found[0], "responseStatus"),
      R"({"metadata":{},"status":"Failure","message":"configmaps \"none\" not found","reason":"NotFound","details":{"name":"none","kind":"configmaps"},"code":404})");
  EXPECT_EQ(at(found[1], "responseStatus"), R"({"metadata":{},"code":404})");
  EXPECT_EQ(at(found[1], "objectRef"), "");
}

TEST_F(AuditorTest, ResponsesHaveTheIdOfTheRequest) {
  start("{level: None, nonResourceURLs: ['/version']}, {level: Metadata}");
  EXPECT_EQ(ask("GET", "/version").headers.get("audit-id"), "asked-0");
  EXPECT_EQ(ask("GET", kMaps).headers.get("audit-id"), "asked-1");
  const std::string made(api_->ask("GET", kMaps).headers.get("audit-id"));
  EXPECT_EQ(made.size(), 36u);
  EXPECT_EQ(events(made).size(), 2u);
}

TEST_F(AuditorTest, WithoutAPolicyThereIsNone) {
  api_.emplace(RunningApi::Options{});
  EXPECT_FALSE(ask("GET", kMaps).headers.has("audit-id"));
  EXPECT_EQ(api_->ask("GET", "/metrics").body.find("apiserver_audit"), std::string::npos);
}

TEST_F(AuditorTest, WatchesHaveThreeStages) {
  start("{level: RequestResponse}");
  SystemClock clock;
  const Until until = Until::after(clock, std::chrono::seconds(30));
  {
    const auto watch = api_->open(std::string(kMaps) + "?watch=true", {{"audit-id", "asked"}});
    const Result<http::ResponseHead> head = watch->head(until);
    ASSERT_TRUE(head.ok());
    EXPECT_EQ(head->headers.get("audit-id"), "asked");
    ASSERT_EQ(api_->ask("POST", kMaps, kMap).code, 201);
    ASSERT_TRUE(watch->read(until).ok());
  }
  const std::vector<json::Document> found = events();
  EXPECT_EQ(stages(found), "RequestReceived ResponseStarted ResponseComplete ");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(at(found[1], "responseStatus"), R"({"metadata":{},"code":200})");
  EXPECT_EQ(at(found[2], "verb"), R"("watch")");
  EXPECT_EQ(at(found[2], "responseObject"), "");
}

// As upstream's, they are long-running.
TEST_F(AuditorTest, ProfilesHaveThreeStages) {
  start("{level: Metadata}");
  const http::Headers asked = {{"audit-id", "asked"}};
  EXPECT_EQ(api_->ask("GET", "/debug/pprof/symbol?1&timeout=none", {}, asked).code, 200);
  EXPECT_EQ(stages(events()), "RequestReceived ResponseStarted ResponseComplete ");
}

TEST_F(AuditorTest, UnknownCallersHaveOneEvent) {
  start("{level: Metadata, users: [jane]}, {level: Metadata}");
  testkit::Http2Client stranger(api_->port());
  const http::StreamId stream = stranger.ask("GET", kMaps, true, {{"audit-id", "asked"}});
  EXPECT_EQ(stranger.wait(stream).status, 401);
  EXPECT_EQ(stranger.answer(stream).headers.get("audit-id"), "asked");
  const std::vector<json::Document> found = events();
  ASSERT_EQ(stages(found), "ResponseStarted ");
  EXPECT_EQ(at(found[0], "user"), "{}");
  EXPECT_EQ(
      at(found[0], "responseStatus"),
      R"({"metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401})");
}

TEST_F(AuditorTest, RefusedRequestsSayWhy) {
  start("{level: Metadata, omitStages: [RequestReceived]}");
  testkit::Http2Client jane(api_->port(), api_->client_certificate("jane", "developers"));
  const http::StreamId stream = jane.ask("GET", kMaps, true, {{"audit-id", "asked"}});
  EXPECT_EQ(jane.wait(stream).status, 403);
  const std::vector<json::Document> found = events();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(View(found[0].root())["annotations"]["authorization.k8s.io/decision"].text(), "forbid");
  EXPECT_EQ(at(found[0], "responseStatus.reason"), R"("Forbidden")");
}

TEST_F(AuditorTest, ImpersonationNamesBothUsers) {
  start("{level: Metadata, users: [admin], omitStages: [RequestReceived]}");
  EXPECT_EQ(ask("GET", kMaps, {}, {{"impersonate-user", "ann"}}).code, 403);
  const std::vector<json::Document> found = events();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(at(found[0], "user.username"), R"("admin")");
  EXPECT_EQ(at(found[0], "impersonatedUser.username"), R"("ann")");
}

TEST_F(AuditorTest, TokensAreNamedByTheirId) {
  start("{level: Metadata, omitStages: [RequestReceived]}");
  ASSERT_EQ(
      ask("POST", "/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"robot"}})")
          .code,
      201);
  const auto token =
      ask("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", R"({"spec":{}})");
  ASSERT_EQ(token.code, 201) << token.body;
  const std::vector<json::Document> found = events();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(
      View(found[1].root())["annotations"]["authentication.kubernetes.io/issued-credential-id"]
          .text()
          .starts_with("JTI="));
  EXPECT_EQ(at(found[1], "objectRef.subresource"), R"("token")");
}

TEST_F(AuditorTest, PodSecurityAnnotates) {
  start("{level: Metadata, omitStages: [RequestReceived]}");
  ASSERT_EQ(
      ask("POST", "/api/v1/namespaces",
          R"({"metadata":{"name":"strict","labels":{"pod-security.kubernetes.io/audit":"baseline"}}})")
          .code,
      201);
  const auto pod = ask(
      "POST", "/api/v1/namespaces/strict/pods",
      R"({"metadata":{"name":"p"},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"i"}]}})");
  ASSERT_EQ(pod.code, 201) << pod.body;
  const std::vector<json::Document> found = events();
  ASSERT_EQ(found.size(), 2u);
  const View annotations = View(found[1].root())["annotations"];
  EXPECT_EQ(annotations["pod-security.kubernetes.io/enforce-policy"].text(), "privileged:latest");
  EXPECT_EQ(annotations["pod-security.kubernetes.io/audit-violations"].text(),
            "would violate PodSecurity \"baseline:latest\": host namespaces (hostNetwork=true)");
}

TEST_F(AuditorTest, StrictRequestsFailIfTheirEventCannotBeWritten) {
  start("{level: None, nonResourceURLs: ['/metrics']}, {level: Metadata}", Mode::kBlockingStrict,
        "/dev/full");
  const auto refused = ask("GET", "/api/v1/configmaps?limit=1&x=<y>");
  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(refused.body,
            "Internal Server Error: \"/api/v1/configmaps?limit=1&amp;x=&lt;y&gt;\": failed to "
            "store audit event\n");
  const std::string metrics = ask("GET", "/metrics").body;
  for (const char* line :
       {"\napiserver_audit_requests_rejected_total 1\n",
        "\napiserver_audit_error_total{plugin=\"log\"} 1\n", "\napiserver_audit_event_total 1\n",
        "\napiserver_audit_level_total{level=\"Metadata\"} 1\n"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line;
  }
}

TEST_F(AuditorTest, BlockingRequestsDoNotFail) {
  start("{level: Metadata}", Mode::kBlocking, "/dev/full");
  EXPECT_EQ(ask("GET", kMaps).code, 200);
}

TEST_F(AuditorTest, ComponentsOfTheProcessAreAudited) {
  start("{level: RequestResponse, users: ['system:kube-controller-manager']}");
  const api::Resource* maps = api::builtin_schema().find_resource("", "v1", "configmaps");
  ASSERT_NE(maps, nullptr);
  {
    const auto client = api_->api().client({.name = "system:kube-controller-manager",
                                            .uid = {},
                                            .groups = {"system:masters"},
                                            .extra = {}});
    const client::Place place{.resource = maps, .name_space = "default", .name = {}};
    ASSERT_TRUE(client->create(place, json::parse_literal(kMap), {}, {}).ok());
    const client::Place missing{.resource = maps, .name_space = "default", .name = "none"};
    EXPECT_FALSE(client->get(missing, {}).ok());
    EXPECT_TRUE(client->watch(place, {}, {}).ok());
  }
  const std::vector<json::Document> found = events("");
  ASSERT_EQ(stages(found),
            "RequestReceived ResponseComplete RequestReceived ResponseComplete RequestReceived "
            "ResponseStarted ResponseComplete ");
  EXPECT_EQ(at(found[1], "requestURI"), R"("/api/v1/namespaces/default/configmaps")");
  EXPECT_EQ(at(found[1], "responseObject.metadata.name"), R"("a")");
  EXPECT_EQ(at(found[1], "responseStatus.code"), "201");
  EXPECT_EQ(at(found[1], "userAgent"), "\"proa (in-process)\"");
  EXPECT_EQ(at(found[3], "responseStatus.reason"), R"("NotFound")");
  EXPECT_EQ(at(found[6], "requestURI"), R"("/api/v1/namespaces/default/configmaps?watch=true")");
}

}  // namespace
}  // namespace proa::apiserver::audit
