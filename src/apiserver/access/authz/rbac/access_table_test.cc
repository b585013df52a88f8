#include "apiserver/access/authz/rbac/access_table.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace {

RoleBinding binding(std::string_view name_space, std::string_view name, std::string_view role,
                    std::string_view subjects) {
  const auto document =
      json::parse(R"({"roleRef":{"kind":"ClusterRole","name":")" + std::string(role) +
                  R"("},"subjects":)" + std::string(subjects) + "}");
  return RoleBinding::read(name_space, name, document->root());
}

RolePtr some_role() { return std::make_shared<const CompiledRole>(std::vector<PolicyRule>()); }

// "binding:role" of each grant; '?' for a missing role.
std::string grants(const AccessTable& table, const User& user, std::string_view name_space) {
  std::vector<std::string> texts;
  table.each_grant(user, name_space, [&](const AccessTable::Grant& grant) {
    texts.push_back(grant.binding.name + ":" + (grant.role == nullptr ? "?" : "") +
                    grant.binding.role.name);
    return true;
  });
  return join(texts, " ");
}

User user(std::string name, std::vector<std::string> groups = {}) {
  return {.name = std::move(name), .uid = {}, .groups = std::move(groups), .extra = {}};
}

TEST(AccessTable, FindsGrantsByWhomTheyAreAbout) {
  AccessTable table;
  table.set_role({"ClusterRole", "", "r"}, some_role());
  table.set_binding(binding("", "b", "r", R"([{"kind":"User","name":"jane"}])"));
  table.set_binding(binding("", "a", "r", R"([{"kind":"Group","name":"devs"}])"));
  table.set_binding(binding("x", "c", "r", R"([{"kind":"ServiceAccount","name":"bot"}])"));
  table.set_binding(binding("x", "d", "missing", R"([{"kind":"User","name":"jane"}])"));
  EXPECT_EQ(grants(table, user("jane"), ""), "b:r");
  EXPECT_EQ(grants(table, user("jane", {"devs"}), "x"), "b:r a:r d:?missing");
  EXPECT_EQ(grants(table, user("devs", {"jane"}), "x"), "");
  EXPECT_EQ(grants(table, user("JANE"), ""), "");
  EXPECT_EQ(grants(table, user("system:serviceaccount:x:bot"), "x"), "c:r");
  EXPECT_EQ(grants(table, user("system:serviceaccount:x:bot"), "y"), "");
  EXPECT_EQ(grants(table, user("system:serviceaccount:y:bot"), "x"), "");
  EXPECT_EQ(grants(table, user("bot"), "x"), "");
}

TEST(AccessTable, VisitsUntilItIsTold) {
  AccessTable table;
  for (const char* name : {"c", "a", "b"}) {
    table.set_binding(binding("", name, "r", R"([{"kind":"User","name":"jane"}])"));
  }
  std::string seen;
  table.each_grant(user("jane"), "x", [&](const AccessTable::Grant& grant) {
    seen += grant.binding.name;
    return seen.size() < 2;
  });
  EXPECT_EQ(seen, "ab");
}

TEST(AccessTable, ForgetsWhatIsGone) {
  AccessTable table;
  const RoleName role{"ClusterRole", "", "r"};
  const User jane = user("jane");
  table.set_binding(binding("", "b", "r", R"([{"kind":"User","name":"jane"}])"));
  EXPECT_EQ(grants(table, jane, ""), "b:?r");
  table.set_role(role, some_role());
  EXPECT_EQ(grants(table, jane, ""), "b:r");
  table.set_role(role, nullptr);
  EXPECT_EQ(grants(table, jane, ""), "b:?r");
  EXPECT_EQ(table.role(role), nullptr);
  table.set_role(role, some_role());
  table.set_binding(binding("", "b", "other", R"([{"kind":"User","name":"joe"}])"));
  EXPECT_EQ(grants(table, jane, ""), "");
  EXPECT_EQ(grants(table, user("joe"), ""), "b:?other");
  table.remove_binding("", "b");
  table.remove_binding("", "b");
  EXPECT_EQ(grants(table, user("joe"), ""), "");
  EXPECT_NE(table.role(role), nullptr);
}

TEST(AccessTable, NamesAreOfOneKind) {
  AccessTable table;
  table.set_role({"ClusterRole", "", "r"}, some_role());
  EXPECT_EQ(table.role({"Role", "", "r"}), nullptr);
  EXPECT_EQ(table.role({"ClusterRole", "x", "r"}), nullptr);
  EXPECT_NE(table.role({"ClusterRole", "", "r"}), nullptr);
}

TEST(AccessTable, CountsASubjectOnce) {
  AccessTable table;
  table.set_binding(
      binding("", "b", "r", R"([{"kind":"User","name":"jane"},{"kind":"User","name":"jane"}])"));
  EXPECT_EQ(grants(table, user("jane"), ""), "b:?r");
  table.remove_binding("", "b");
  EXPECT_EQ(grants(table, user("jane"), ""), "");
}

TEST(AccessTable, TakesSubjectsOfAnyShape) {
  AccessTable table;
  table.set_binding(binding("", "b", "r",
                            R"([null,7,{},{"kind":"Robot","name":"x"},{"kind":"User"},)"
                            R"({"kind":"ServiceAccount","name":"bot"}])"));
  EXPECT_EQ(grants(table, user(""), ""), "");
  EXPECT_EQ(grants(table, user("x"), ""), "");
  EXPECT_EQ(grants(table, user("system:serviceaccount::bot"), ""), "");
  table.remove_binding("", "b");
}

TEST(RoleBinding, IsDescribedAsUpstreamDoes) {
  const RoleBinding cluster = binding("", "b", R"(r\")", R"([{"kind":"User","name":"jane"}])");
  EXPECT_EQ(cluster.describe(cluster.subjects[0]),
            R"(ClusterRoleBinding "b" of ClusterRole "r\"" to User "jane")");
  const RoleBinding local = binding("x", "b", "r",
                                    R"([{"kind":"ServiceAccount","name":"bot"},)"
                                    R"({"kind":"Group","name":"devs"}])");
  EXPECT_EQ(local.describe(local.subjects[0]),
            R"(RoleBinding "b/x" of ClusterRole "r" to ServiceAccount "bot/x")");
  EXPECT_EQ(local.describe(local.subjects[1]),
            R"(RoleBinding "b/x" of ClusterRole "r" to Group "devs")");
}

}  // namespace
}  // namespace proa::apiserver
