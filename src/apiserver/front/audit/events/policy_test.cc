#include "apiserver/front/audit/events/policy.h"

#include <gtest/gtest.h>

#include "apiserver/front/audit/events/policy_file.h"

namespace proa::apiserver::audit {
namespace {

const User kJane{
    .name = "jane", .uid = {}, .groups = {"devs", "system:authenticated"}, .extra = {}};

// As the policy states it, in YAML's short form.
Policy policy_of(const std::string& rest) {
  std::vector<std::string> ignored;
  Result<Policy> policy =
      read_policy("{apiVersion: audit.k8s.io/v1, kind: Policy, " + rest + "}", ignored);
  EXPECT_TRUE(policy.ok()) << policy.status().message();
  EXPECT_TRUE(ignored.empty());
  return std::move(*policy);
}

Attributes pods(std::string_view verb = "get") {
  return {.user = &kJane,
          .verb = verb,
          .version = "v1",
          .resource = "pods",
          .name_space = "default",
          .name = "web"};
}

Attributes logs() {
  Attributes attributes = pods();
  attributes.subresource = "log";
  return attributes;
}

Attributes scale() {
  Attributes attributes = pods("update");
  attributes.group = "apps";
  attributes.resource = "deployments";
  attributes.subresource = "scale";
  return attributes;
}

Attributes node() {
  return {.user = &kJane, .verb = "get", .version = "v1", .resource = "nodes", .name = "n1"};
}

Attributes path(std::string_view path) {
  return {.user = &kJane, .verb = "get", .is_resource = false, .path = path};
}

Attributes unknown() {
  Attributes attributes = pods();
  attributes.user = nullptr;
  return attributes;
}

TEST(Policy, MatchesAsUpstream) {
  struct Case {
    const char* rule;  // its level is Metadata
    Attributes attributes;
    bool matches;
  };
  const Case cases[] = {
      {"", pods(), true},
      {"", path("/healthz"), true},
      {"users: [jane]", pods(), true},
      {"users: [john]", pods(), false},
      {"users: [jane]", unknown(), false},
      {"userGroups: [ops, devs]", pods(), true},
      {"userGroups: [ops]", pods(), false},
      {"userGroups: [devs]", unknown(), false},
      {"verbs: [list, get]", pods(), true},
      {"verbs: [list]", pods(), false},
      {"verbs: [get]", path("/healthz"), true},
      {"namespaces: [default]", pods(), true},
      {"namespaces: [kube-system]", pods(), false},
      {"namespaces: ['']", node(), true},
      {"namespaces: ['']", pods(), false},
      {"namespaces: [default]", path("/healthz"), false},
      {"resources: [{group: ''}]", pods(), true},
      {"resources: [{group: apps}]", pods(), false},
      {"resources: [{group: '*'}]", scale(), true},
      {"resources: [{group: ''}]", path("/healthz"), false},
      {"resources: [{resources: [pods]}]", pods(), true},
      {"resources: [{resources: [pods]}]", logs(), false},
      {"resources: [{resources: [pods/log]}]", logs(), true},
      {"resources: [{resources: [pods/log]}]", pods(), false},
      {"resources: [{resources: ['*']}]", logs(), true},
      // Upstream's "pods/*" is also the pod itself.
      {"resources: [{resources: ['pods/*']}]", logs(), true},
      {"resources: [{resources: ['pods/*']}]", pods(), true},
      {"resources: [{resources: ['nodes/*']}]", logs(), false},
      {"resources: [{resources: ['*/log']}]", logs(), true},
      {"resources: [{resources: ['*/log']}]", pods(), false},
      {"resources: [{resources: ['*/scale']}]", scale(), false},
      {"resources: [{group: apps, resources: ['*/scale']}]", scale(), true},
      {"resources: [{resources: ['*/*']}]", logs(), false},
      {"resources: [{resources: ['pods/']}]", pods(), false},
      {"resources: [{resources: [pods], resourceNames: [web]}]", pods(), true},
      {"resources: [{resources: [pods], resourceNames: [db]}]", pods(), false},
      {"resources: [{group: apps}, {group: ''}]", pods(), true},
      {"resources: [null]", pods(), true},
      {"resources: [null]", scale(), false},
      {"nonResourceURLs: ['/healthz']", path("/healthz"), true},
      {"nonResourceURLs: ['/healthz']", path("/healthz/etcd"), false},
      {"nonResourceURLs: ['/healthz*']", path("/healthz/etcd"), true},
      {"nonResourceURLs: ['/healthz/*']", path("/healthz"), false},
      {"nonResourceURLs: ['*']", path("/version"), true},
      {"nonResourceURLs: ['*']", pods(), false},
      {"users: [jane], verbs: [get], namespaces: [default], resources: [{resources: [pods]}]",
       pods(), true},
      {"users: [jane], verbs: [get], namespaces: [default], resources: [{resources: [nodes]}]",
       pods(), false},
      // Many names are searched, not compared one by one.
      {"users: [a, z, b, u, c, x, d, w, jane, e, v]", pods(), true},
      {"users: [a, z, b, u, c, x, d, w, june, e, v]", pods(), false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rule);
    const std::string rule = c.rule;
    const Policy policy =
        policy_of("rules: [{level: Metadata" + (rule.empty() ? "" : ", " + rule) + "}]");
    EXPECT_EQ(policy.evaluate(c.attributes).level, c.matches ? Level::kMetadata : Level::kNone);
  }
}

TEST(Policy, FirstRuleThatMatchesDecides) {
  const Policy policy = policy_of(
      "rules: [{level: None, users: [system:kube-proxy]}, {level: RequestResponse, verbs: [get]}, "
      "{level: Request}]");
  EXPECT_EQ(policy.evaluate(pods()).level, Level::kRequestResponse);
  EXPECT_EQ(policy.evaluate(pods("create")).level, Level::kRequest);
  const User proxy{.name = "system:kube-proxy", .uid = {}, .groups = {}, .extra = {}};
  Attributes its = pods();
  its.user = &proxy;
  EXPECT_EQ(policy.evaluate(its).level, Level::kNone);
}

TEST(Policy, StagesAreOmittedByPolicyAndRule) {
  const Policy policy = policy_of(
      "omitStages: [RequestReceived], rules: [{level: Metadata, verbs: [get], omitStages: "
      "[ResponseStarted]}, {level: Metadata}]");
  const Choice both = policy.evaluate(pods());
  EXPECT_FALSE(both.emits(Stage::kRequestReceived));
  EXPECT_FALSE(both.emits(Stage::kResponseStarted));
  EXPECT_TRUE(both.emits(Stage::kResponseComplete));
  EXPECT_TRUE(both.emits(Stage::kPanic));
  const Choice one = policy.evaluate(pods("list"));
  EXPECT_FALSE(one.emits(Stage::kRequestReceived));
  EXPECT_TRUE(one.emits(Stage::kResponseStarted));
}

TEST(Policy, RuleOverridesWhetherManagedFieldsAreOmitted) {
  const Policy policy = policy_of(
      "omitManagedFields: true, rules: [{level: Request, verbs: [get], omitManagedFields: false}, "
      "{level: Request}]");
  EXPECT_FALSE(policy.evaluate(pods()).omits_managed_fields);
  EXPECT_TRUE(policy.evaluate(pods("list")).omits_managed_fields);
}

}  // namespace
}  // namespace proa::apiserver::audit
