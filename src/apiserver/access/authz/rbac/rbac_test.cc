#include "apiserver/access/authz/rbac/rbac.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/test_roles.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kPolicy = R"(
clusterrole reader
  read on pods
  get at /healthz /logs/*
  bound to user:jane group:devs account:kube-system/bot
role default/editor
  write on pods
  get on secrets named one
  bound to user:joe
)";

TEST(RbacAuthorizer, SaysWhoAllowed) {
  TestRoles roles;
  roles.put(kPolicy);
  const Verdict verdict = roles.ask(user_named("jane"), "get pods in default");
  EXPECT_EQ(verdict.decision, Decision::kAllow);
  EXPECT_EQ(
      verdict.reason,
      R"(RBAC: allowed by ClusterRoleBinding "reader" of ClusterRole "reader" to User "jane")");
  EXPECT_EQ(
      roles.ask(user_named("x", {"a", "devs"}), "list pods").reason,
      R"(RBAC: allowed by ClusterRoleBinding "reader" of ClusterRole "reader" to Group "devs")");
  EXPECT_EQ(roles.ask(user_named("system:serviceaccount:kube-system:bot"), "get at /logs/x").reason,
            R"(RBAC: allowed by ClusterRoleBinding "reader" of ClusterRole "reader" to )"
            R"(ServiceAccount "bot/kube-system")");
  EXPECT_EQ(roles.ask(user_named("joe"), "delete pods named web in default").reason,
            R"(RBAC: allowed by RoleBinding "editor/default" of Role "editor" to User "joe")");
}

TEST(RbacAuthorizer, HasNoOpinionOtherwise) {
  TestRoles roles;
  roles.put(kPolicy);
  const User jane = user_named("jane");
  const User joe = user_named("joe");
  for (const auto& [user, question] : std::vector<std::pair<User, const char*>>{
           {jane, "delete pods in default"},
           {jane, "get pods of apps"},
           {jane, "post at /healthz"},
           {joe, "delete pods"},  // a role of a namespace is for that namespace
           {joe, "delete pods in other"},
           {joe, "get secrets in default"},
           {joe, "get secrets named two in default"},
           {user_named("reader"), "get pods"},
           {user_named(""), "get pods"}}) {
    const Verdict verdict = roles.ask(user, question);
    EXPECT_EQ(verdict.decision, Decision::kNoOpinion) << question;
    EXPECT_EQ(verdict.reason, "") << question;
  }
  EXPECT_EQ(roles.rbac.authorize({}).decision, Decision::kNoOpinion);
  EXPECT_FALSE(roles.rbac.may_wait({}));
}

TEST(RbacAuthorizer, LetsABindingUseAClusterRoleInANamespace) {
  TestRoles roles;
  roles.put(kPolicy);
  roles.put_json(
      R"({"kind":"RoleBinding","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"b",)"
      R"("namespace":"x"},"roleRef":{"kind":"ClusterRole","name":"reader"},)"
      R"("subjects":[{"kind":"ServiceAccount","name":"bot"}]})");
  const User bot = user_named("system:serviceaccount:x:bot");
  EXPECT_EQ(
      roles.ask(bot, "get pods in x").reason,
      R"(RBAC: allowed by RoleBinding "b/x" of ClusterRole "reader" to ServiceAccount "bot/x")");
  EXPECT_FALSE(roles.ask(bot, "get pods in default").allowed());
  EXPECT_FALSE(roles.ask(bot, "get pods").allowed());
  EXPECT_FALSE(roles.ask(bot, "get at /healthz").allowed());
}

TEST(RbacAuthorizer, FollowsTheStore) {
  TestRoles roles;
  const User jane = user_named("jane");
  EXPECT_FALSE(roles.ask(jane, "get pods").allowed());
  roles.put(kPolicy);
  EXPECT_TRUE(roles.ask(jane, "get pods").allowed());
  roles.put("clusterrole reader\n  read on nodes\n");
  EXPECT_FALSE(roles.ask(jane, "get pods").allowed());
  EXPECT_TRUE(roles.ask(jane, "get nodes").allowed());
  roles.remove("clusterrolebindings", "", "reader");
  EXPECT_FALSE(roles.ask(jane, "get nodes").allowed());
}

TEST(RbacAuthorizer, SaysWhichRolesAreMissing) {
  TestRoles roles;
  roles.put(kPolicy);
  roles.put("role default/reader\n  bound as other to user:jane\n");
  roles.remove("clusterroles", "", "reader");
  const User jane = user_named("jane", {"devs"});
  EXPECT_EQ(roles.ask(jane, "get pods").reason,
            R"(RBAC: clusterrole.rbac.authorization.k8s.io "reader" not found)");
  roles.remove("roles", "default", "reader");
  EXPECT_EQ(roles.ask(jane, "get pods in default").reason,
            R"(RBAC: [clusterrole.rbac.authorization.k8s.io "reader" not found, )"
            R"(role.rbac.authorization.k8s.io "reader" not found])");
  roles.put("clusterrole reader\n  get on pods\n");
  EXPECT_TRUE(roles.ask(jane, "get pods in default").allowed());
  EXPECT_EQ(roles.ask(jane, "list pods in default").reason,
            R"(RBAC: role.rbac.authorization.k8s.io "reader" not found)");
}

TEST(RbacAuthorizer, FindsNothingByAReferenceOfAnotherKind) {
  TestRoles roles;
  roles.put("clusterrole all\n  * on * of *\n");
  const auto bind = [&roles](std::string_view kind) {
    roles.put_json(R"({"kind":"ClusterRoleBinding","apiVersion":"rbac.authorization.k8s.io/v1",)"
                   R"("metadata":{"name":"b"},"roleRef":{"name":"all","kind":")" +
                   std::string(kind) + R"("},"subjects":[{"kind":"User","name":"jane"}]})");
  };
  bind("Role");
  EXPECT_EQ(roles.ask(user_named("jane"), "get pods").reason,
            R"(RBAC: role.rbac.authorization.k8s.io "all" not found)");
  bind("Group");
  EXPECT_EQ(roles.ask(user_named("jane"), "get pods").reason,
            R"(RBAC: unsupported role reference kind: "Group")");
}

TEST(RbacAuthorizer, ListsTheRulesOfSomebody) {
  TestRoles roles;
  roles.put(kPolicy);
  roles.put(
      "role default/more\n  list on services of core apps\n  bound to group:devs user:jane\n");
  RuleList rules;
  roles.rbac.list_rules(user_named("jane", {"devs"}), "default", rules);
  ASSERT_EQ(rules.resources.size(), 2u);
  EXPECT_EQ(rules.resources[0].verbs, (std::vector<std::string>{"get", "list", "watch"}));
  EXPECT_EQ(rules.resources[0].groups, std::vector<std::string>{""});
  EXPECT_EQ(rules.resources[0].resources, std::vector<std::string>{"pods"});
  EXPECT_EQ(rules.resources[1].groups, (std::vector<std::string>{"", "apps"}));
  ASSERT_EQ(rules.paths.size(), 1u);
  EXPECT_EQ(rules.paths[0].paths, (std::vector<std::string>{"/healthz", "/logs/*"}));
  EXPECT_FALSE(rules.incomplete);
  EXPECT_EQ(rules.error, "");
}

TEST(RbacAuthorizer, ListsWhatItCanAndWhyThereMayBeMore) {
  TestRoles roles;
  roles.put(kPolicy);
  roles.put("role default/gone\n  bound to user:joe\n");
  roles.remove("roles", "default", "gone");
  RuleList rules;
  rules.error = "before";
  roles.rbac.list_rules(user_named("joe"), "default", rules);
  ASSERT_EQ(rules.resources.size(), 2u);
  EXPECT_EQ(rules.resources[1].names, std::vector<std::string>{"one"});
  EXPECT_EQ(rules.error, R"(before, role.rbac.authorization.k8s.io "gone" not found)");
}

}  // namespace
}  // namespace proa::apiserver
