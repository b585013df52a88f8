#include "apiserver/access/authz/policy/merge.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

struct Case {
  const char* name;
  std::string stored;
  std::string wanted;
  Merged merged;
  std::string result = "";  // empty: as it was stored
};

void check(const Case& c, Merged (*merge)(api::Edit, api::View)) {
  SCOPED_TRACE(c.name);
  auto stored = json::parse(c.stored);
  const auto wanted = json::parse(c.wanted);
  ASSERT_TRUE(stored.ok() && wanted.ok());
  EXPECT_EQ(merge(api::Edit(*stored), wanted->root()), c.merged);
  const auto result = json::parse(c.result.empty() ? c.stored : c.result);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(json::print(stored->root()), json::print(result->root()));
}

std::string list(std::initializer_list<std::string> items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return "[" + text + "]";
}

// Lists as JSON: rule(R"("get")", R"("pods")").
std::string rule(const std::string& verbs, const std::string& resources) {
  return R"({"verbs":[)" + verbs + R"(],"apiGroups":[""],"resources":[)" + resources + "]}";
}
std::string role(std::initializer_list<std::string> rules) {
  return R"({"rules":)" + list(rules) + "}";
}
std::string gathering(std::initializer_list<std::string> labels) {
  std::string selectors;
  for (const std::string& label : labels) {
    if (!selectors.empty()) selectors += ",";
    selectors += R"({"matchLabels":{")" + label + R"(":"true"}})";
  }
  return R"("aggregationRule":{"clusterRoleSelectors":[)" + selectors + "]}";
}

const std::string kGet = R"("get")";
const std::string kPods = R"("pods")";
const std::string kGetPods = rule(kGet, kPods);
const std::string kProtected =
    R"("metadata":{"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"false"}})";

TEST(MergeRole, AddsWhatIsMissing) {
  const std::string frob = rule(R"("frob")", R"("x")");
  const std::string named =
      R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]})";
  const std::string path = R"({"verbs":["get"],"nonResourceURLs":["/x"]})";
  const Case cases[] = {
      {"the same", role({kGetPods}), role({kGetPods}), Merged::kSame},
      {"labels and annotations that are there stay",
       R"({"metadata":{"labels":{"a":"mine","x":"y"}}})",
       R"({"metadata":{"labels":{"a":"1","b":"2"},"annotations":{"c":"3"}}})", Merged::kChanged,
       R"({"metadata":{"labels":{"a":"mine","x":"y","b":"2"},"annotations":{"c":"3"}}})"},
      {"rules one by one, behind those that are there", role({kGetPods, frob}),
       role({rule(R"("get","list")", R"("nodes","pods")")}), Merged::kChanged,
       role({kGetPods, frob, rule(kGet, R"("nodes")"), rule(R"("list")", R"("nodes")"),
             rule(R"("list")", kPods)})},
      {"what wider rules cover is not missing",
       R"({"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]})", role({kGetPods}),
       Merged::kSame},
      {"rules where there are none", R"({"rules":null})", role({named, path}), Merged::kChanged,
       role({named, path})},
      {"an aggregation that nobody wants", R"({"rules":null,)" + gathering({"a"}) + "}",
       R"({"rules":null})", Merged::kChanged, R"({"rules":null})"},
      {"an aggregation where there is none; gathered rules stay", role({kGetPods}),
       "{" + gathering({"a"}) + "}", Merged::kChanged,
       R"({"rules":[)" + kGetPods + "]," + gathering({"a"}) + "}"},
      {"a selector more", "{" + gathering({"x"}) + "}", "{" + gathering({"a", "x"}) + "}",
       Merged::kChanged, "{" + gathering({"x", "a"}) + "}"},
      {"left alone by annotation", "{" + kProtected + "}",
       R"({"metadata":{"labels":{"a":"b"}},"rules":[)" + kGetPods + "]}", Merged::kSame},
  };
  for (const Case& c : cases) check(c, merge_role);
}

std::string subject(std::string_view kind, std::string_view name) {
  return R"({"kind":")" + std::string(kind) + R"(","name":")" + std::string(name) + R"("})";
}
std::string binding(std::string_view role, std::initializer_list<std::string> subjects) {
  return R"({"roleRef":{"kind":"Role","name":")" + std::string(role) + R"("},"subjects":)" +
         list(subjects) + "}";
}

TEST(MergeBinding, AddsWhatIsMissing) {
  const std::string user = subject("User", "a");
  const std::string group = subject("Group", "a");
  const std::string account = R"({"kind":"ServiceAccount","name":"a","namespace":"n"})";
  const std::string other_account = R"({"kind":"ServiceAccount","name":"a","namespace":"m"})";
  const Case cases[] = {
      {"the same, in another order and with more", binding("r", {account, group, user}),
       binding("r", {user, account}), Merged::kSame},
      {"subjects, each once", binding("r", {user, other_account}),
       binding("r", {group, group, account}), Merged::kChanged,
       binding("r", {user, other_account, group, account})},
      {"subjects of nobody", R"({"roleRef":{"kind":"Role","name":"r"}})", binding("r", {user}),
       Merged::kChanged, binding("r", {user})},
      {"metadata", R"({"metadata":{"name":"x"},"roleRef":{"kind":"Role","name":"r"}})",
       R"({"metadata":{"annotations":{"a":"b"}},"roleRef":{"kind":"Role","name":"r"}})",
       Merged::kChanged,
       R"({"metadata":{"name":"x","annotations":{"a":"b"}},"roleRef":{"kind":"Role","name":"r"}})"},
      {"another role", binding("r", {user}), binding("s", {user}), Merged::kReplace},
      {"left alone by annotation", "{" + kProtected + R"(,"roleRef":{"name":"x"}})",
       binding("y", {user}), Merged::kSame},
  };
  for (const Case& c : cases) check(c, merge_binding);
}

}  // namespace
}  // namespace proa::apiserver
