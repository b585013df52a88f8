#include "apiserver/access/authz/rbac/index.h"

#include <gtest/gtest.h>

#include <thread>

#include "testkit/apiserver/test_roles.h"

namespace proa::apiserver {
namespace {

TEST(RbacIndex, HoldsRolesOncePerBinding) {
  TestRoles roles;
  roles.put(R"(
clusterrole a
  get on pods
  bound to user:jane group:devs
clusterrole b
  get on nodes
  bound to group:devs group:others
role x/c
  get on secrets
  bound to user:jane
)");
  const User jane = user_named("jane", {"devs", "others"});
  const auto held = [&](std::string_view name_space) {
    std::string text;
    for (const PolicyRule* rule : roles.index.held_by(jane, name_space).rules()) {
      text += rule->resources[0] + " ";
    }
    return text;
  };
  EXPECT_EQ(held(""), "pods nodes ");
  EXPECT_EQ(held("x"), "pods nodes secrets ");
  EXPECT_EQ(held("y"), "pods nodes ");
  roles.remove("clusterroles", "", "a");
  const HeldRoles without = roles.index.held_by(jane, "x");
  EXPECT_EQ(without.roles.size(), 2u);
  ASSERT_EQ(without.missing.size(), 1u);
  EXPECT_EQ(without.missing[0].name, "a");
}

TEST(RbacIndex, OutlivesWhatItHandedOut) {
  TestRoles roles;
  roles.put("clusterrole a\n  get on pods\n  bound to user:jane\n");
  const HeldRoles held = roles.index.held_by(user_named("jane"), "");
  roles.remove("clusterroles", "", "a");
  EXPECT_TRUE(roles.index.held_by(user_named("jane"), "").roles.empty());
  EXPECT_EQ(held.rules()[0]->resources[0], "pods");
}

TEST(RbacIndex, IsReadWhileRolesChange) {
  TestRoles roles;
  roles.put("clusterrole a\n  get on pods\n  bound to user:jane\n");
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    const User jane = user_named("jane");
    while (!stop) EXPECT_TRUE(roles.ask(jane, "get pods in x").allowed());
  });
  for (int i = 0; i < 200; ++i) {
    roles.put("clusterrole a\n  get on pods\n  get on nodes\n  bound to user:jane group:x\n");
    roles.put("role x/a\n  get on nodes\n  bound to user:jane\n");
  }
  stop = true;
  reader.join();
}

TEST(DescribeMissing, SaysEachOnce) {
  const RoleName a{"Role", "x", "a"};
  const RoleName b{"ClusterRole", "", "b"};
  EXPECT_EQ(describe_missing({a, a}, MissingWords::kPlural),
            R"(roles.rbac.authorization.k8s.io "a" not found)");
  EXPECT_EQ(describe_missing({b, a, b}, MissingWords::kSingular),
            R"([clusterrole.rbac.authorization.k8s.io "b" not found, )"
            R"(role.rbac.authorization.k8s.io "a" not found])");
}

}  // namespace
}  // namespace proa::apiserver
