#include "apiserver/access/admission/webhooks/webhooks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "apiserver/access/admission/cluster/plugin_case.h"
#include "apiserver/access/webhook/hook_caller.h"
#include "apiserver/access/webhook/hook_credentials.h"
#include "base/encoding.h"
#include "base/log.h"
#include "json/parse.h"
#include "testkit/memory_files.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

// Webhooks that answer at once, by their URLs.
class ScriptedHooks final : public HookCaller {
 public:
  Result<std::unique_ptr<HookCall>> begin(const HookConfig& config, Bytes json, Duration) override {
    tokens.push_back(config.credentials == nullptr ? "none" : config.credentials->token);
    const auto found = answers.find(config.url);
    if (found == answers.end()) return Status(Reason::kServiceUnavailable, "it is down");
    const json::Document question = json::parse(json.view()).value();
    const std::string uid(api::View(question.root())["request"]["uid"].text());
    return std::unique_ptr<HookCall>(std::make_unique<Answered>(
        R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":")" +
        uid + R"(",)" + found->second + "}}"));
  }

  std::map<std::string, std::string> answers;  // members of the response
  std::vector<std::string> tokens;             // that they were shown

 private:
  class Answered final : public HookCall {
   public:
    explicit Answered(std::string text) : text_(std::move(text)) {}
    Result<Bytes> wait() override { return Bytes(text_); }
    Duration took() const override { return Duration(0); }

   private:
    const std::string text_;
  };
};

// A cluster with webhooks for pods.
class Webhooks {
 public:
  Webhooks() {
    world.hooks = &hooks;
    world.put("", "namespaces", "{metadata: {name: default}}");
  }
  // One a configuration, with its name; without an answer it fails.
  void add(std::string_view resource, const std::string& name, const std::string& answer,
           const std::string& concerns = "pods", const std::string& more = "") {
    world.put(kGroup, resource,
              "{metadata: {name: " + name + "}, webhooks: [{name: " + name +
                  ".io, failurePolicy: " + failure_policy +
                  ", sideEffects: None, admissionReviewVersions: [v1], "
                  "matchPolicy: Exact, namespaceSelector: {}, objectSelector: {}, timeoutSeconds: "
                  "10, clientConfig: {url: 'https://" +
                  name +
                  "'}, rules: [{operations: ['*'], apiGroups: [''], apiVersions: [v1], "
                  "resources: [" +
                  concerns + "]}]" + more + "}]}");
    if (!answer.empty()) hooks.answers["https://" + name] = answer;
  }
  static PluginCase pod() {
    PluginCase made(Operation::kCreate, "", "pods");
    made.object("{apiVersion: v1, kind: Pod, metadata: {name: web, labels: {app: web}}}");
    return made;
  }

  ScriptedHooks hooks;
  PluginWorld world;
  std::string failure_policy = "Ignore";
};

TEST(MutatingWebhooks, AnnotateAuditEvents) {
  Webhooks webhooks;
  webhooks.add("mutatingwebhookconfigurations", "a", R"("allowed":true)", "secrets");
  webhooks.add("mutatingwebhookconfigurations", "b",
               R"("allowed":true,"auditAnnotations":{"why":"because","a/b":"c","no key!":"d"})");
  webhooks.add("mutatingwebhookconfigurations", "c", "");
  const std::string patch = R"([{"op":"add","path":"/metadata/labels/x","value":"y"}])";
  webhooks.add("mutatingwebhookconfigurations", "d",
               R"("allowed":true,"patchType":"JSONPatch","patch":")" + to_base64(patch) + R"(")");
  const auto plugin = make_mutating_webhooks(webhooks.world.context()).value();
  PluginCase pod = Webhooks::pod();
  EXPECT_EQ(words(pod.admit(*plugin)), "");
  EXPECT_EQ(pod.result()["metadata"]["labels"]["x"].text(), "y");
  // The webhook of secrets has a place, too.
  EXPECT_EQ(
      pod.annotations(),
      (AuditAnnotations{{"b.io/why", "because"},
                        {"mutation.webhook.admission.k8s.io/round_0_index_1",
                         R"({"configuration":"b","webhook":"b.io","mutated":false})"},
                        {"failed-open.mutation.webhook.admission.k8s.io/round_0_index_2", "c.io"},
                        {"mutation.webhook.admission.k8s.io/round_0_index_2",
                         R"({"configuration":"c","webhook":"c.io","mutated":false})"},
                        {"patch.webhook.admission.k8s.io/round_0_index_3",
                         R"({"configuration":"d","webhook":"d.io","patch":)" + patch +
                             R"(,"patchType":"JSONPatch"})"},
                        {"mutation.webhook.admission.k8s.io/round_0_index_3",
                         R"({"configuration":"d","webhook":"d.io","mutated":true})"}}));
}

TEST(ValidatingWebhooks, AnnotateAuditEvents) {
  Webhooks webhooks;
  webhooks.add("validatingwebhookconfigurations", "a", R"("allowed":true)", "secrets");
  webhooks.add("validatingwebhookconfigurations", "b",
               R"("allowed":false,"auditAnnotations":{"why":"because","a/b":"c","no key!":"d"})");
  webhooks.add("validatingwebhookconfigurations", "c", "");
  const auto plugin = make_validating_webhooks(webhooks.world.context()).value();
  PluginCase pod = Webhooks::pod();
  EXPECT_EQ(words(pod.validate(*plugin)),
            R"(admission webhook "b.io" denied the request without explanation)");
  // Upstream counts those that match.
  EXPECT_EQ(pod.annotations(),
            (AuditAnnotations{
                {"b.io/why", "because"},
                {"failed-open.validating.webhook.admission.k8s.io/round_0_index_1", "c.io"}}));
}

TEST(MutatingWebhooks, SayWhichPatchCannotBeApplied) {
  const auto failure = [](const std::string& patch) {
    Webhooks webhooks;
    webhooks.add("mutatingwebhookconfigurations", "a",
                 R"("allowed":true,"patchType":"JSONPatch","patch":")" + to_base64(patch) + R"(")");
    const auto plugin = make_mutating_webhooks(webhooks.world.context()).value();
    const Result<void> admitted = Webhooks::pod().admit(*plugin);
    EXPECT_TRUE(admitted.is(Reason::kInternalError));
    return words(admitted);
  };
  const std::string head =
      R"(Internal error occurred: the patch of admission webhook "a.io" cannot be applied: )";
  EXPECT_EQ(failure(R"([{"op":"test","path":"/kind","value":"Pod"},{"op":"remove","path":"/x"}])"),
            head + R"(operation 1 of the JSON patch, at "/x": remove: path not found)");
  EXPECT_EQ(failure(R"([{"op":1,"path":"/x"}])"),
            head + R"(operation 0 of the JSON patch, at "/x": "op" must be a string)");
}

TEST(AdmissionWebhooks, AreLoggedWhenTheyFail) {
  static std::atomic<int> refused = 0;
  static std::atomic<int> ignored = 0;
  Webhooks webhooks;
  webhooks.add("validatingwebhookconfigurations", "open", "");
  webhooks.failure_policy = "Fail";
  webhooks.add("mutatingwebhookconfigurations", "closed", "");
  const auto mutating = make_mutating_webhooks(webhooks.world.context()).value();
  const auto validating = make_validating_webhooks(webhooks.world.context()).value();
  set_log_sink([](std::string_view line) {
    const bool closed = line.find("closed.io") != std::string_view::npos;
    if (closed && line.find("the request is refused") != std::string_view::npos) ++refused;
    const bool open = line.find("open.io") != std::string_view::npos;
    if (open && line.find("which is ignored") != std::string_view::npos) ++ignored;
  });
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(words(Webhooks::pod().admit(*mutating)), "");
    EXPECT_EQ(words(Webhooks::pod().validate(*validating)), "");
  }
  set_log_sink(nullptr);
  for (const int lines : {refused.load(), ignored.load()}) {
    EXPECT_GE(lines, 1);
    EXPECT_LT(lines, 50) << "they must not fill the log";
  }
}

TEST(AdmissionWebhooks, AreShownTheUserOfTheirHost) {
  Webhooks webhooks;
  for (const char* name : {"a", "b"}) {
    webhooks.add("mutatingwebhookconfigurations", name, R"("allowed":true)");
    webhooks.add("validatingwebhookconfigurations", name, R"("allowed":true)");
  }
  testkit::MemoryFiles files;
  files.content["/users"] = "users: [{name: a, user: {token: of-a}}]";
  const json::Document configuration = json::parse_literal(
      R"({"apiVersion":"apiserver.config.k8s.io/v1","kind":"WebhookAdmissionConfiguration",)"
      R"("kubeConfigFile":"/users"})");
  AdmissionContext context = webhooks.world.context();
  context.credentials = HookCredentials::read(configuration.root(), files).value();
  EXPECT_EQ(words(Webhooks::pod().admit(*make_mutating_webhooks(context).value())), "");
  EXPECT_EQ(words(Webhooks::pod().validate(*make_validating_webhooks(context).value())), "");
  EXPECT_EQ(webhooks.hooks.tokens, (std::vector<std::string>{"of-a", "none", "of-a", "none"}));
}

TEST(MutatingWebhooks, AreCounted) {
  Webhooks webhooks;
  const std::string kind = "mutatingwebhookconfigurations";
  webhooks.add(kind, "a", R"("allowed":true)");
  webhooks.add(kind, "b", "");
  webhooks.add(kind, "c", R"("allowed":true)", "pods",
               ", matchConditions: [{name: x, expression: 'false'}]");
  webhooks.add(kind, "d",
               R"("allowed":true,"patchType":"JSONPatch","patch":")" +
                   to_base64(R"([{"op":"remove","path":"/none"}])") + R"(")");
  const auto plugin = make_mutating_webhooks(webhooks.world.context()).value();
  EXPECT_NE(words(Webhooks::pod().admit(*plugin)), "");
  const PluginWorld& world = webhooks.world;
  const std::string prefix = "apiserver_admission_";
  const std::string labels = R"(.io",type="admit",operation="CREATE",)";
  for (const std::string& line : {
           R"(webhook_request_total{name="a)" + labels + R"(code="200",rejected="false"} 1)",
           R"(webhook_request_total{name="b)" + labels + R"(code="503",rejected="false"} 1)",
           R"(webhook_request_total{name="d)" + labels + R"(code="0",rejected="true"} 1)",
           R"(webhook_admission_duration_seconds_count{name="a)" + labels +
               R"(rejected="false"} 1)",
           R"(webhook_rejection_count{name="d)" + labels +
               R"(error_type="apiserver_internal_error",rejection_code="0"} 1)",
           std::string(R"(webhook_fail_open_count{name="b.io",type="admit"} 1)"),
           std::string(R"(match_condition_exclusions_total{name="c.io",kind="webhook",)"
                       R"(type="admit",operation="CREATE"} 1)"),
           std::string(R"(match_condition_evaluation_seconds_count{name="c.io",kind="webhook",)"
                       R"(type="admit",operation="CREATE"} 1)"),
       }) {
    EXPECT_TRUE(world.counted(prefix + line)) << line << "\n" << world.metrics_text();
  }
}

TEST(ValidatingWebhooks, AreCounted) {
  Webhooks webhooks;
  const std::string kind = "validatingwebhookconfigurations";
  webhooks.add(kind, "a", R"("allowed":false,"status":{"code":409})");
  webhooks.add(kind, "b", R"("allowed":true)", "pods",
               ", matchConditions: [{name: x, expression: 'object.none == 1'}]");
  const auto plugin = make_validating_webhooks(webhooks.world.context()).value();
  EXPECT_NE(words(Webhooks::pod().validate(*plugin)), "");
  const PluginWorld& world = webhooks.world;
  const std::string prefix = "apiserver_admission_";
  for (
      const std::string line : {
          R"(webhook_request_total{name="a.io",type="validating",operation="CREATE",code="409",)"
          R"(rejected="true"} 1)",
          R"(webhook_rejection_count{name="a.io",type="validating",operation="CREATE",)"
          R"(error_type="no_error",rejection_code="409"} 1)",
          R"(match_condition_evaluation_errors_total{name="b.io",kind="webhook",type="validating",)"
          R"(operation="CREATE"} 1)",
      }) {
    EXPECT_TRUE(world.counted(prefix + line)) << line << "\n" << world.metrics_text();
  }
}

// All writes wait for the index of webhooks. The square of these names would take many minutes.
TEST(ValidatingWebhooks, ManyResourcesInARuleCostLittle) {
  Webhooks webhooks;
  const std::string kind = "validatingwebhookconfigurations";
  std::string names = "r";
  for (int i = 0; i < 100'000; ++i) names += ", r" + std::to_string(i);
  webhooks.add(kind, "a", "", names);
  webhooks.add(kind, "b", R"("allowed":false)");
  webhooks.add(kind, "c", "", names);
  const auto plugin = make_validating_webhooks(webhooks.world.context()).value();
  EXPECT_EQ(words(Webhooks::pod().validate(*plugin)),
            R"(admission webhook "b.io" denied the request without explanation)");
}

}  // namespace
}  // namespace proa::apiserver
