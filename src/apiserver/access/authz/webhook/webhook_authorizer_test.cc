#include "apiserver/access/authz/webhook/webhook_authorizer.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/test_webhook.h"

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;
using Asked = TestWebhook::Asked;

const User& jane() {
  static const User user{
      .name = "jane", .uid = "42", .groups = {"a", "b"}, .extra = {{"example.org/x", {"1", "2"}}}};
  return user;
}

Attributes list_pods(std::string_view name_space = "team") {
  return {.user = &jane(),
          .verb = "list",
          .is_resource = true,
          .group = "",
          .version = "v1",
          .resource = "pods",
          .subresource = "",
          .name_space = name_space,
          .name = "",
          .path = ""};
}

std::string answer(const std::string& status, const std::string& version = "v1") {
  return R"({"apiVersion":"authorization.k8s.io/)" + version +
         R"(","kind":"SubjectAccessReview","status":)" + status + "}";
}

class Hooked {
 public:
  explicit Hooked(const std::string& status, WebhookAuthorizerOptions options = {})
      : hook_([status, version = options.version](const Asked&) {
          return TestWebhook::json(answer(status, version));
        }) {
    options.connection = hook_.connection("/authorize");
    authorizer_ = WebhookAuthorizer::make(around_.context, options, &metrics_).value();
  }

  WebhookAuthorizer& authorizer() { return *authorizer_; }
  Verdict ask(const Attributes& attributes = list_pods()) {
    return authorizer_->authorize(attributes);
  }
  TestWebhook& hook() { return hook_; }
  testkit::FakeClock& clock() { return around_.clock; }
  http::LoopGroup& loops() { return around_.loops; }
  // Whether the metrics have this line.
  bool counted(const std::string& line) const {
    MetricsText text;
    metrics_.write(text);
    return ("\n" + text.take()).find("\n" + line + "\n") != std::string::npos;
  }

 private:
  WebhookEnvironment around_;
  AuthorizationMetrics metrics_;
  TestWebhook hook_;
  std::unique_ptr<WebhookAuthorizer> authorizer_;
};

TEST(WebhookAuthorizer, AsksAboutAResource) {
  Hooked hooked(R"({"allowed":true,"reason":"she may"})");
  const Verdict verdict = hooked.ask({.user = &jane(),
                                      .verb = "update",
                                      .is_resource = true,
                                      .group = "apps",
                                      .version = "v1",
                                      .resource = "deployments",
                                      .subresource = "scale",
                                      .name_space = "team",
                                      .name = "web",
                                      .path = ""});
  EXPECT_TRUE(verdict.allowed());
  EXPECT_EQ(verdict.reason, "she may");
  EXPECT_EQ(hooked.hook().asked().at(0).body,
            R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},)"
            R"("spec":{"resourceAttributes":{"namespace":"team","verb":"update","group":"apps",)"
            R"("version":"v1","resource":"deployments","subresource":"scale","name":"web"},)"
            R"("user":"jane","groups":["a","b"],"extra":{"example.org/x":["1","2"]},"uid":"42"},)"
            R"("status":{"allowed":false}})"
            "\n");
}

TEST(WebhookAuthorizer, AsksAboutAPathInTheOlderVersion) {
  Hooked hooked(R"({"allowed":true})", {.version = "v1beta1"});
  EXPECT_TRUE(hooked.ask({.user = &jane(), .verb = "get", .is_resource = false, .path = "/metrics"})
                  .allowed());
  EXPECT_EQ(
      hooked.hook().asked().at(0).body,
      R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1beta1","metadata":{},)"
      R"("spec":{"nonResourceAttributes":{"path":"/metrics","verb":"get"},)"
      R"("user":"jane","group":["a","b"],"extra":{"example.org/x":["1","2"]},"uid":"42"},)"
      R"("status":{"allowed":false}})"
      "\n");
}

TEST(WebhookAuthorizer, KnowsNoOtherVersion) {
  WebhookEnvironment around;
  const auto made = WebhookAuthorizer::make(around.context, {.version = "v2"});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().message(),
            "unsupported webhook authorizer version \"v2\", supported versions are \"v1\", "
            "\"v1beta1\"");
}

TEST(WebhookAuthorizer, DecidesAsTheWebhookSays) {
  struct Case {
    std::string status;
    Decision decision;
    std::string reason = "";
  };
  const std::vector<Case> cases = {
      {R"({"allowed":true})", Decision::kAllow},
      {R"({"allowed":false})", Decision::kNoOpinion},
      {R"({"allowed":false,"reason":"not today"})", Decision::kNoOpinion, "not today"},
      {R"({"allowed":false,"denied":true,"reason":"no"})", Decision::kDeny, "no"},
      {R"({"allowed":true,"denied":true})", Decision::kDeny},
      {R"({"allowed":false,"evaluationError":"x"})", Decision::kNoOpinion},
      {"{}", Decision::kNoOpinion},
      // An invalid response is no answer.
      {R"({"allowed":"true"})", Decision::kNoOpinion},
      {R"({"allowed":true,"denied":"true"})", Decision::kNoOpinion},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.status);
    Hooked hooked(c.status);
    const Verdict verdict = hooked.ask();
    EXPECT_EQ(verdict.decision, c.decision);
    EXPECT_EQ(verdict.reason, c.reason);
  }
}

TEST(WebhookAuthorizer, KeepsWhatIsAllowedForLonger) {
  Hooked hooked(R"({"allowed":true})");
  EXPECT_TRUE(hooked.authorizer().may_wait(list_pods()));
  EXPECT_TRUE(hooked.ask().allowed());
  EXPECT_FALSE(hooked.authorizer().may_wait(list_pods()));
  EXPECT_TRUE(hooked.authorizer().may_wait(list_pods("other")));
  hooked.clock().advance(5min);
  EXPECT_TRUE(hooked.ask().allowed());
  EXPECT_EQ(hooked.hook().count(), 1u);
  hooked.clock().advance(1ms);
  EXPECT_TRUE(hooked.authorizer().may_wait(list_pods()));
  EXPECT_TRUE(hooked.ask().allowed());
  EXPECT_EQ(hooked.hook().count(), 2u);
}

TEST(WebhookAuthorizer, KeepsWhatIsRefusedForAShortTime) {
  for (const char* status : {R"({"allowed":false})", R"({"allowed":false,"denied":true})"}) {
    SCOPED_TRACE(status);
    Hooked hooked(status);
    EXPECT_FALSE(hooked.ask().allowed());
    hooked.clock().advance(30s);
    EXPECT_FALSE(hooked.ask().allowed());
    EXPECT_EQ(hooked.hook().count(), 1u);
    hooked.clock().advance(1ms);
    EXPECT_FALSE(hooked.ask().allowed());
    EXPECT_EQ(hooked.hook().count(), 2u);
  }
}

TEST(WebhookAuthorizer, DoesNotKeepWhatIsVeryLong) {
  Hooked hooked(R"({"allowed":true})");
  const std::string path(10'000, '/');
  const Attributes attributes{.user = &jane(), .verb = "get", .is_resource = false, .path = path};
  EXPECT_TRUE(hooked.ask(attributes).allowed());
  EXPECT_TRUE(hooked.ask(attributes).allowed());
  EXPECT_EQ(hooked.hook().count(), 2u);
}

TEST(WebhookAuthorizer, HasNoOpinionWhenTheWebhookFails) {
  Hooked hooked("{}");
  const std::vector<TestWebhook::Answer> failures = {
      [](const Asked&) { return TestWebhook::json(answer(R"({"allowed":true})"), 403); },
      [](const Asked&) { return TestWebhook::json("nonsense"); },
      [](const Asked&) { return TestWebhook::json(answer(R"({"allowed":true})", "v1beta1")); },
      [](const Asked&) { return TestWebhook::json(std::string(2 << 20, ' ')); },
      [](const Asked&) {
        return http::Response{307, {{"location", "https://127.0.0.1:1/"}}, {}, {}};
      },
  };
  for (size_t i = 0; i < failures.size(); ++i) {
    SCOPED_TRACE(i);
    hooked.hook().set_answer(failures[i]);
    const Verdict verdict = hooked.ask();
    EXPECT_EQ(verdict.decision, Decision::kNoOpinion);
    EXPECT_EQ(verdict.reason, "");
  }
  EXPECT_EQ(hooked.hook().count(), failures.size());
}

TEST(WebhookAuthorizer, DoesNotWaitOnALoop) {
  Hooked hooked(R"({"allowed":true})");
  Verdict verdict;
  const auto ask_on_loop = [&] {
    hooked.loops().at(0).run_and_wait([&] { verdict = hooked.ask(); });
  };
  ask_on_loop();
  EXPECT_EQ(verdict.decision, Decision::kNoOpinion);
  EXPECT_EQ(hooked.hook().count(), 0u);
  EXPECT_TRUE(hooked.ask().allowed());
  hooked.clock().advance(5min + 1s);
  ask_on_loop();
  EXPECT_TRUE(verdict.allowed());
}

TEST(WebhookAuthorizer, AsksAboutSelectors) {
  Hooked hooked(R"({"allowed":true})");
  const api::FieldSelector::Term fields[] = {{.field = "spec.nodeName", .value = "n1"},
                                             {.field = "a", .value = "b", .equal = false}};
  using Operator = api::LabelSelector::Operator;
  const api::LabelSelector::Requirement labels[] = {
      {.key = "app", .op = Operator::kEquals, .values = {"web"}},
      {.key = "tier", .op = Operator::kDoesNotExist, .values = {}},
      {.key = "n", .op = Operator::kGreaterThan, .values = {"1"}}};
  Attributes attributes = list_pods();
  attributes.fields = fields;
  attributes.labels = labels;
  EXPECT_TRUE(hooked.ask(attributes).allowed());
  const std::string body = hooked.hook().asked().at(0).body;
  EXPECT_NE(body.find(R"("fieldSelector":{"requirements":[{"key":"spec.nodeName","operator":"In",)"
                      R"("values":["n1"]},{"key":"a","operator":"NotIn","values":["b"]}]},)"
                      R"("labelSelector":{"requirements":[{"key":"app","operator":"In",)"
                      R"("values":["web"]},{"key":"tier","operator":"DoesNotExist"}]})"),
            std::string::npos)
      << body;
}

TEST(WebhookAuthorizer, IsAskedWhereItsConditionsAreTrue) {
  WebhookAuthorizerOptions options;
  options.on_failure = Decision::kDeny;
  options.conditions = {
      cel::compile_review_condition("request.resourceAttributes.namespace == 'team'"),
      cel::compile_review_condition("request.resourceAttributes.?fieldSelector.hasValue() == false "
                                    "&& request.groups[1] == 'b'")};
  Hooked hooked(R"({"allowed":true})", options);
  EXPECT_TRUE(hooked.ask().allowed());
  EXPECT_EQ(hooked.hook().asked().size(), 1u);
  EXPECT_FALSE(hooked.authorizer().may_wait(list_pods("other")));
  EXPECT_EQ(hooked.ask(list_pods("other")).decision, Decision::kNoOpinion);
  // A condition that fails is a failure of the webhook.
  const Attributes path{.user = &jane(), .verb = "get", .is_resource = false, .path = "/metrics"};
  EXPECT_EQ(hooked.ask(path).decision, Decision::kDeny);
  EXPECT_EQ(hooked.hook().asked().size(), 1u);
}

TEST(WebhookAuthorizer, CountsConditions) {
  const std::string prefix = "apiserver_authorization_match_condition_";
  const std::string labels = R"({type="Webhook",name="hook"})";
  WebhookAuthorizerOptions options;
  options.name = "hook";
  options.conditions = {cel::compile_review_condition("request.resourceAttributes.verb == 'list'"),
                        cel::compile_review_condition("request.user == 'jane'")};
  Hooked hooked(R"({"allowed":true})", options);
  EXPECT_FALSE(hooked.authorizer().authorize_now(list_pods()).has_value());
  EXPECT_FALSE(hooked.counted(prefix + "evaluation_seconds_count" + labels + " 1"))
      << "it is authorized later";
  EXPECT_TRUE(hooked.ask().allowed());
  EXPECT_TRUE(hooked.counted(prefix + "evaluation_seconds_count" + labels + " 1"));
  EXPECT_TRUE(hooked.authorizer().authorize_now(list_pods())->allowed());
  EXPECT_TRUE(hooked.counted(prefix + "evaluation_seconds_count" + labels + " 2"));
  // The first condition fails; the second one is false.
  const User joe{.name = "joe", .uid = "", .groups = {}, .extra = {}};
  Attributes path{.user = &joe, .verb = "get", .is_resource = false, .path = "/metrics"};
  EXPECT_EQ(hooked.ask(path).decision, Decision::kNoOpinion);
  EXPECT_TRUE(hooked.counted(prefix + "exclusions_total" + labels + " 1"));
  EXPECT_TRUE(hooked.counted(prefix + "evaluation_errors_total" + labels + " 1"));
  path.user = &jane();
  hooked.ask(path);
  EXPECT_TRUE(hooked.counted(prefix + "exclusions_total" + labels + " 1"));
  EXPECT_TRUE(hooked.counted(prefix + "evaluation_errors_total" + labels + " 2"));
}

TEST(WebhookAuthorizer, CountsCalls) {
  const std::string prefix = "apiserver_authorization_webhook_";
  WebhookAuthorizerOptions options;
  options.name = "hook";
  Hooked hooked(R"({"allowed":true})", options);
  hooked.ask();
  hooked.ask();
  EXPECT_TRUE(hooked.counted(prefix + R"(evaluations_total{name="hook",result="success"} 1)"))
      << "cached answers are no calls";
  EXPECT_TRUE(hooked.counted(prefix + R"(duration_seconds_count{name="hook",result="success"} 1)"));
  hooked.hook().set_answer([](const Asked&) { return TestWebhook::json("nonsense"); });
  hooked.ask(list_pods("other"));
  EXPECT_TRUE(hooked.counted(prefix + R"(evaluations_total{name="hook",result="error"} 1)"));
  EXPECT_TRUE(
      hooked.counted(prefix + R"(evaluations_fail_open_total{name="hook",result="error"} 1)"));
}

TEST(WebhookAuthorizer, DoesNotFailOpenWhereItDenies) {
  WebhookAuthorizerOptions options;
  options.on_failure = Decision::kDeny;
  Hooked hooked(R"({"allowed":7})", options);
  EXPECT_EQ(hooked.ask().decision, Decision::kDeny);
  EXPECT_TRUE(hooked.counted(
      R"(apiserver_authorization_webhook_evaluations_total{name="default",result="error"} 1)"));
  EXPECT_FALSE(hooked.counted(
      R"(apiserver_authorization_webhook_evaluations_fail_open_total{name="default",result="error"} 1)"));
}

TEST(WebhookAuthorizer, CannotListRules) {
  Hooked hooked("{}");
  RuleList rules;
  rules.error = "before";
  hooked.authorizer().list_rules(jane(), "team", rules);
  EXPECT_TRUE(rules.incomplete);
  EXPECT_EQ(rules.error, "before, webhook authorizer does not support user rule resolution");
}

}  // namespace
}  // namespace proa::apiserver
