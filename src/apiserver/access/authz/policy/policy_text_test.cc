#include "apiserver/access/authz/policy/policy_text.h"

#include <gtest/gtest.h>

#include "json/print.h"

namespace proa::apiserver {
namespace {

std::string printed(std::string_view text) {
  const auto objects = parse_policy(text);
  if (!objects.ok()) return objects.status().message();
  std::string all;
  for (const PolicyObject& object : *objects) {
    all += std::string(object.resource) + " " + json::print(object.document.root()) + "\n";
  }
  return all;
}

struct Expected {
  const char* resource;
  const char* kind;
  const char* name;
  const char* name_space = "";
  const char* joins = "";  // a label more
  std::string rest = "";
};

std::string line(const Expected& expected) {
  std::string text = std::string(expected.resource) + R"( {"kind":")" + expected.kind +
                     R"(","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":")" +
                     expected.name + R"(",)";
  if (*expected.name_space != 0)
    text += R"("namespace":")" + std::string(expected.name_space) + R"(",)";
  text += R"("labels":{"kubernetes.io/bootstrapping":"rbac-defaults")";
  if (*expected.joins != 0) text += R"(,")" + std::string(expected.joins) + R"(":"true")";
  return text + R"(},"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},)" +
         expected.rest + "}\n";
}

std::string role_reference(std::string_view kind, std::string_view name) {
  return R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" + std::string(kind) +
         R"(","name":")" + std::string(name) + R"("})";
}
std::string subject(std::string_view kind, std::string_view name) {
  return R"({"kind":")" + std::string(kind) +
         R"(","apiGroup":"rbac.authorization.k8s.io","name":")" + std::string(name) + R"("})";
}

TEST(PolicyText, IsReadIntoObjects) {
  EXPECT_EQ(printed(R"(
# A comment.
clusterrole all
  * on * of *
  * at /b /a

  bound to group:g:1 user:u account:ns/a
)"),
            line({.resource = "clusterroles",
                  .kind = "ClusterRole",
                  .name = "all",
                  .rest = R"("rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},)"
                          R"({"verbs":["*"],"nonResourceURLs":["/a","/b"]}])"}) +
                line({.resource = "clusterrolebindings",
                      .kind = "ClusterRoleBinding",
                      .name = "all",
                      .rest = role_reference("ClusterRole", "all") + R"(,"subjects":[)" +
                              subject("Group", "g:1") + "," + subject("User", "u") +
                              R"(,{"kind":"ServiceAccount","name":"a","namespace":"ns"}])"}));
  EXPECT_EQ(printed(""), "");
}

TEST(PolicyText, KnowsNamesAndLinesThatGoOn) {
  EXPECT_EQ(printed("role ns/r\n  read delete on pods pods/log\n      of core\n      apps\n"
                    "      named z y\n  bound as b to nobody\n"),
            line({.resource = "roles",
                  .kind = "Role",
                  .name = "r",
                  .name_space = "ns",
                  .rest = R"("rules":[{"verbs":["delete","get","list","watch"],)"
                          R"("apiGroups":["","apps"],"resources":["pods","pods/log"],)"
                          R"("resourceNames":["y","z"]}])"}) +
                line({.resource = "rolebindings",
                      .kind = "RoleBinding",
                      .name = "b",
                      .name_space = "ns",
                      .rest = role_reference("Role", "r")}));
}

TEST(PolicyText, KnowsRolesThatGatherAndJoin) {
  EXPECT_EQ(printed("clusterrole e  joins admin  gathers edit"),
            line({.resource = "clusterroles",
                  .kind = "ClusterRole",
                  .name = "e",
                  .joins = "rbac.authorization.k8s.io/aggregate-to-admin",
                  .rest = R"("aggregationRule":{"clusterRoleSelectors":[{"matchLabels":)"
                          R"({"rbac.authorization.k8s.io/aggregate-to-edit":"true"}}]})"}));
}

TEST(PolicyText, SaysWhichLineIsWrong) {
  const std::string head = "clusterrole a\n";
  const std::string rule = ": neither `VERBS on RESOURCES` nor `VERBS at PATHS`";
  const std::string subject = ": neither user:NAME, group:NAME nor account:NAMESPACE/NAME";
  const std::string role = ": neither `clusterrole NAME` nor `role NAMESPACE/NAME`";
  const std::pair<std::string, std::string> cases[] = {
      {"  get on pods", "line 1: belongs to no role"},
      {"clusterrole", "line 1: no head of a role"},
      {"clusterrole a b", "line 1: no head of a role"},
      {"clusterrole a gathers", "line 1: no head of a role"},
      {"clusterrole a gathers joins b c", "line 1: no head of a role"},
      {"joins a", "line 1: no head of a role"},
      {"\nrole a", "line 2" + role},
      {"role /a", "line 1" + role},
      {"clusterrole a/b", "line 1" + role},
      {"nothing a", "line 1" + role},
      {head + "  get", "line 2" + rule},
      {head + "  on pods", "line 2" + rule},
      {head + "  get on", "line 2" + rule},
      {head + "  get on pods of", "line 2" + rule},
      {head + "  get on pods at /a", "line 2" + rule},
      {head + "  get at /a named b", "line 2" + rule},
      {head + "  bound", "line 2: `bound to` nobody at all"},
      {head + "  bound to", "line 2: `bound to` nobody at all"},
      {head + "  bound x to user:a", "line 2: `bound to` nobody at all"},
      {head + "  bound as to user:a", "line 2: `bound as` no name"},
      {head + "  bound to jane", "line 2" + subject},
      {head + "  bound to user:", "line 2" + subject},
      {head + "  bound to account:x", "line 2" + subject},
      {head + "  bound to robot:x", "line 2" + subject},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(printed(text), error) << text;
}

}  // namespace
}  // namespace proa::apiserver
