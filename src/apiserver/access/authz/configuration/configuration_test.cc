#include "apiserver/access/authz/configuration/configuration.h"

#include <gtest/gtest.h>

#include "testkit/memory_files.h"

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kKubeconfig = R"(
apiVersion: v1
kind: Config
clusters: [{name: hook, cluster: {server: "https://hook.example/authorize"}}]
users: [{name: me, user: {}}]
contexts: [{name: hook, context: {cluster: hook, user: me}}]
current-context: hook
)";

class ReadConfiguration : public testing::Test {
 protected:
  void SetUp() override { files.content["/etc/hook"] = kKubeconfig; }

  Result<std::vector<ConfiguredAuthorizer>> read(const std::string& authorizers) {
    AuthorizationConfiguration configured = TRY(read_authorization_configuration(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: " +
            authorizers + "\n",
        files));
    return std::move(configured.authorizers);
  }
  std::string failure(const std::string& authorizers) {
    const auto configured = read(authorizers);
    return configured.ok() ? "" : configured.status().message();
  }
  // A webhook with these fields, and others that are good.
  static std::string webhook(const std::string& more) {
    return "[{type: Webhook, name: hook, webhook: {" + more + "}}]";
  }

  testkit::MemoryFiles files;
};

constexpr const char* kGood =
    "timeout: 3s, subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: "
    "KubeConfigFile, kubeConfigFile: /etc/hook}";

TEST_F(ReadConfiguration, HasAuthorizersInOrder) {
  const auto configured = read(
      "\n- {type: Node, name: node}\n- type: Webhook\n  name: first\n  webhook:\n    "
      "authorizedTTL: 1m\n    cacheUnauthorizedRequests: false\n    timeout: 10s\n    "
      "subjectAccessReviewVersion: v1beta1\n    matchConditionSubjectAccessReviewVersion: v1\n    "
      "failurePolicy: NoOpinion\n    connectionInfo: {type: KubeConfigFile, kubeConfigFile: "
      "/etc/hook}\n    matchConditions:\n    - expression: has(request.resourceAttributes)\n    - "
      "expression: request.user != 'a'\n- {type: RBAC, name: rbac}\n- {type: Webhook, name: "
      "second, webhook: {" +
      std::string(kGood) + "}}");
  ASSERT_TRUE(configured.ok()) << configured.status().message();
  ASSERT_EQ(configured->size(), 4u);
  EXPECT_EQ((*configured)[0].type, "Node");
  EXPECT_EQ((*configured)[2].type, "RBAC");
  const WebhookAuthorizerOptions& first = *(*configured)[1].webhook;
  EXPECT_EQ((*configured)[1].name, "first");
  EXPECT_EQ(first.connection.server, "https://hook.example/authorize");
  EXPECT_EQ(first.version, "v1beta1");
  EXPECT_EQ(first.timeout, Duration(10s));
  EXPECT_EQ(first.keep_allowed, Duration(1min));
  EXPECT_EQ(first.keep_refused, Duration(0));
  EXPECT_EQ(first.on_failure, Decision::kNoOpinion);
  EXPECT_EQ(first.conditions.size(), 2u);
  const WebhookAuthorizerOptions& second = *(*configured)[3].webhook;
  EXPECT_EQ(second.keep_allowed, Duration(5min));
  EXPECT_EQ(second.keep_refused, Duration(30s));
  EXPECT_EQ(second.on_failure, Decision::kDeny);
}

TEST_F(ReadConfiguration, KnowsTextsThatSayTheSame) {
  const auto meaning = [&](const std::string& text) {
    const auto configured = read_authorization_configuration(text, files);
    return configured.ok() ? configured->meaning : configured.status().message();
  };
  const std::string kind = "kind: AuthorizationConfiguration\n";
  const std::string first =
      meaning(kind + "apiVersion: apiserver.config.k8s.io/v1\nauthorizers:\n" +
              "- {type: Webhook, name: a, webhook: {authorizedTTL: 300s, " + kGood + "}}\n");
  EXPECT_EQ(first, meaning("# Another text.\napiVersion: apiserver.config.k8s.io/v1beta1\n" + kind +
                           "authorizers: [{webhook: {" + kGood + "}, name: a, type: Webhook}]"));
  // Zero is the default.
  EXPECT_EQ(first, meaning(kind + "apiVersion: apiserver.config.k8s.io/v1\nauthorizers:\n" +
                           "- {type: Webhook, name: a, webhook: {authorizedTTL: 0s, "
                           "unauthorizedTTL: 0s, " +
                           kGood + "}}\n"));
  EXPECT_NE(first, meaning(kind + "apiVersion: apiserver.config.k8s.io/v1\nauthorizers:\n" +
                           "- {type: Webhook, name: b, webhook: {" + kGood + "}}\n"));
}

TEST_F(ReadConfiguration, RefusesAuthorizers) {
  EXPECT_EQ(read_authorization_configuration("", files).status().message(),
            "authorizers: Required value: at least one authorization mode must be defined");
  EXPECT_EQ(failure("[{}]"), "authorizers[0].type: Required value");
  EXPECT_EQ(failure("[{type: Other, name: other}]"),
            "authorizers[0].type: Unsupported value: \"Other\": supported values: \"AlwaysAllow\", "
            "\"AlwaysDeny\", \"Node\", \"RBAC\", \"Webhook\"");
  EXPECT_EQ(failure("[{type: Node, name: node}, {type: Node, name: other}]"),
            "authorizers[1].type: Duplicate value: \"Node\"");
  EXPECT_EQ(failure("[{type: Node}, {type: RBAC, name: node, webhook: {}}, {type: AlwaysDeny, "
                    "name: node}, {type: Webhook, name: hook}]"),
            "[authorizers[0].name: Required value, authorizers[1].webhook: Invalid value: "
            "\"non-null\": may only be specified when type=Webhook, authorizers[2].name: Duplicate "
            "value: \"node\", authorizers[3].webhook: Required value: required when type=Webhook]");
  EXPECT_EQ(failure("[{type: Node, name: nodes}, {type: RBAC, name: roles}]"),
            "[expected name node for authorizer Node instead of nodes, expected name rbac for "
            "authorizer RBAC instead of roles]");
  EXPECT_EQ(
      failure("[{type: AlwaysAllow, name: 'a b'}]"),
      "authorizers[0].name: Invalid value: \"a b\": authorizer name is invalid: a lowercase "
      "RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
      "must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
      "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
}

TEST_F(ReadConfiguration, RefusesWebhooks) {
  struct {
    const char* webhook;
    const char* failure;
  } const cases[] = {
      {"",
       "[authorizers[0].timeout: Required value, authorizers[0].subjectAccessReviewVersion: "
       "Required value, authorizers[0].failurePolicy: Required value, "
       "authorizers[0].connectionInfo.type: Required value]"},
      {"timeout: 31s, authorizedTTL: -1s, unauthorizedTTL: -2s, subjectAccessReviewVersion: v2, "
       "matchConditionSubjectAccessReviewVersion: v1beta1, failurePolicy: Allow, connectionInfo: "
       "{type: Other}",
       "[authorizers[0].timeout: Invalid value: \"31s\": must be > 0s and <= 30s, "
       "authorizers[0].authorizedTTL: Invalid value: \"-1s\": must be > 0s, "
       "authorizers[0].unauthorizedTTL: Invalid value: \"-2s\": must be > 0s, "
       "authorizers[0].subjectAccessReviewVersion: Unsupported value: \"v2\": supported values: "
       "\"v1\", \"v1beta1\", authorizers[0].matchConditionSubjectAccessReviewVersion: Unsupported "
       "value: \"v1beta1\": supported values: \"v1\", authorizers[0].failurePolicy: Unsupported "
       "value: \"Allow\": supported values: \"NoOpinion\", \"Deny\", "
       "authorizers[0].connectionInfo.type: Unsupported value: \"Other\": supported values: "
       "\"InClusterConfig\", \"KubeConfigFile\"]"},
      {"timeout: 1s, subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: "
       "InClusterConfig, kubeConfigFile: /etc/hook}, matchConditions: [{expression: 'true'}]",
       "[authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if "
       "match conditions are specified, authorizers[0].connectionInfo.kubeConfigFile: Invalid "
       "value: \"/etc/hook\": can only be set when type=KubeConfigFile]"},
      {"timeout: 1s, subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: "
       "KubeConfigFile, kubeConfigFile: hook}",
       "authorizers[0].connectionInfo.kubeConfigFile: Invalid value: \"hook\": must be an absolute "
       "path"},
      {"timeout: 1s, subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: "
       "KubeConfigFile, kubeConfigFile: /etc/none}",
       "authorizers[0].connectionInfo.kubeConfigFile: Invalid value: \"/etc/none\": error loading "
       "file: stat /etc/none: no such file or directory"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.webhook);
    EXPECT_EQ(failure(webhook(c.webhook)), c.failure);
  }
}

TEST_F(ReadConfiguration, RefusesConditions) {
  const std::string good =
      std::string(kGood) + ", matchConditionSubjectAccessReviewVersion: v1, matchConditions: ";
  EXPECT_EQ(failure(webhook(good + "[{expression: ' '}, {expression: 'true'}, {expression: "
                                   "'true'}, {expression: request.user}]")),
            "[authorizers[0].matchConditions[0].expression: Required value, "
            "authorizers[0].matchConditions[2].expression: Duplicate value: \"true\", "
            "authorizers[0].matchConditions[3].expression: Invalid value: \"request.user\": must "
            "evaluate to bool but got string]");
  std::string many = "[{expression: a}";
  for (int i = 0; i < 64; ++i) many += ", {expression: a}";
  EXPECT_EQ(failure(webhook(good + many + "]")),
            "authorizers[0].matchConditions: Too many: 65: must have at most 64 items");
}

TEST_F(ReadConfiguration, RefusesOtherDocuments) {
  EXPECT_EQ(
      read_authorization_configuration("kind: Pod\napiVersion: v1\n", files).status().message(),
      "failed to load AuthorizationConfiguration from file: no kind \"Pod\" is registered for "
      "version \"v1\"");
  EXPECT_FALSE(read("[{type: Node, name: node, more: 1}]").ok());
}

}  // namespace
}  // namespace proa::apiserver
