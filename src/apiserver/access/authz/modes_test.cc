#include "apiserver/access/authz/modes.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/test_webhook.h"

namespace proa::apiserver {
namespace {

using Asked = TestWebhook::Asked;

http::Response answer(const std::string& status) {
  return TestWebhook::json(
      R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","status":)" + status +
      "}");
}

class AuthorizationTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Authorization>> make(AuthorizationOptions options) {
    return Authorization::make(options, {.store = *store_,
                                         .schema = api::builtin_schema(),
                                         .webhooks = &around_.context,
                                         .metrics = metrics_});
  }
  static ConfiguredAuthorizer plain(const std::string& type, const std::string& name) {
    return {.type = type, .name = name};
  }
  ConfiguredAuthorizer webhook(const std::string& name, const TestWebhook& hook) {
    ConfiguredAuthorizer made{.type = "Webhook", .name = name};
    made.webhook.emplace().connection = hook.connection("/authorize");
    return made;
  }
  Decision ask(Authorization& authorization) {
    return authorization.authorizer().authorize(attributes_).decision;
  }
  bool counted(const std::string& line) const {
    MetricsText text;
    metrics_.write(text);
    return text.take().find("\napiserver_authorization_decisions_total" + line + "\n") !=
           std::string::npos;
  }

  WebhookEnvironment around_;
  std::unique_ptr<store::Store> store_ = store::make_memory_store(around_.clock);
  AuthorizationMetrics metrics_;
  const User jane_{.name = "jane", .uid = "", .groups = {}, .extra = {}};
  const Attributes attributes_{
      .user = &jane_, .verb = "get", .is_resource = false, .path = "/metrics"};
};

TEST_F(AuthorizationTest, CountsDecisions) {
  const auto allowing = make({.modes = {"RBAC", "AlwaysAllow"}}).value();
  EXPECT_EQ(ask(*allowing), Decision::kAllow);
  EXPECT_TRUE(allowing->authorizer().authorize_now(attributes_)->allowed());
  EXPECT_TRUE(counted(R"({type="AlwaysAllow",name="alwaysallow",decision="allowed"} 2)"));
  EXPECT_FALSE(counted(R"({type="RBAC",name="rbac",decision="denied"} 2)")) << "it has no opinion";
}

TEST_F(AuthorizationTest, ReplacesWebhooks) {
  TestWebhook allows([](const Asked&) { return answer(R"({"allowed":true})"); });
  TestWebhook denies([](const Asked&) { return answer(R"({"allowed":false,"denied":true})"); });
  const auto authorization =
      make({.configured = {webhook("first", allows), plain("RBAC", "rbac")}}).value();
  Authorizer& authorizer = authorization->authorizer();
  EXPECT_TRUE(authorizer.authorize(attributes_).allowed());
  ASSERT_TRUE(authorization->replace({plain("RBAC", "rbac"), webhook("second", denies)}).ok());
  EXPECT_FALSE(authorizer.authorize_now(attributes_).has_value()) << "the new one is asked";
  EXPECT_EQ(authorizer.authorize(attributes_).decision, Decision::kDeny);
  EXPECT_EQ(allows.count(), 1u);
  authorization->release_former();
  ASSERT_TRUE(authorization->replace({plain("RBAC", "rbac")}).ok());
  EXPECT_EQ(ask(*authorization), Decision::kNoOpinion);
  EXPECT_TRUE(counted(R"({type="Webhook",name="first",decision="allowed"} 1)"));
  EXPECT_TRUE(counted(R"({type="Webhook",name="second",decision="denied"} 1)"));
}

TEST_F(AuthorizationTest, KeepsOtherTypes) {
  const auto authorization =
      make({.configured = {plain("AlwaysAllow", "alwaysallow"), plain("RBAC", "rbac")}}).value();
  EXPECT_EQ(authorization->replace({plain("AlwaysDeny", "alwaysdeny")}).status().message(),
            "missing required types: [AlwaysAllow RBAC]");
  EXPECT_EQ(authorization
                ->replace({plain("RBAC", "rbac"), plain("AlwaysAllow", "alwaysallow"),
                           plain("Node", "node")})
                .status()
                .message(),
            "authorizer type Node is not allowed if it was not enabled at initial server startup");
  EXPECT_EQ(ask(*authorization), Decision::kAllow);
  // Their order may change, and AlwaysDeny may come: it has no opinion, as upstream's.
  ASSERT_TRUE(authorization
                  ->replace({plain("AlwaysDeny", "alwaysdeny"), plain("RBAC", "rbac"),
                             plain("AlwaysAllow", "alwaysallow")})
                  .ok());
  EXPECT_EQ(ask(*authorization), Decision::kAllow);
}

}  // namespace
}  // namespace proa::apiserver
