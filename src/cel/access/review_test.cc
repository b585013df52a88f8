#include "cel/access/review.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::cel {
namespace {

ReviewMatch match(std::vector<std::string_view> sources, std::string_view spec) {
  std::vector<ReviewCondition> conditions;
  for (const std::string_view source : sources) {
    conditions.push_back(compile_review_condition(source));
    EXPECT_EQ(conditions.back().error, "");
  }
  const json::Document document = json::parse(spec).value();
  return matches_review(conditions, document.root());
}

constexpr std::string_view kList = R"({"user": "jane", "groups": ["a"], "extra": {"k": ["v"]},
  "resourceAttributes": {"verb": "list", "resource": "pods", "namespace": "kube-system",
    "fieldSelector": {"requirements": [{"key": "spec.nodeName", "operator": "In",
      "values": ["n1"]}]},
    "labelSelector": {"requirements": [{"key": "app", "operator": "Exists"}]}}})";
constexpr std::string_view kPath = R"({"user": "jane",
  "nonResourceAttributes": {"path": "/livez", "verb": "get"}})";

TEST(ReviewCondition, ReadsTheRequest) {
  const std::string_view good[] = {
      "request.user == 'jane' && request.uid == '' && 'a' in request.groups",
      "has(request.resourceAttributes) && request.resourceAttributes.namespace == 'kube-system'",
      "!has(request.nonResourceAttributes)",
      "request.resourceAttributes.name == '' && request.resourceAttributes.version == ''",
      "request.extra['k'] == ['v']",
      "request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'spec.nodeName' "
      "&& r.operator == 'In' && r.values == ['n1'])",
      "request.?resourceAttributes.?labelSelector.requirements.orValue([]).size() == 1",
      "!has(request.resourceAttributes.labelSelector.rawSelector)",
      // What no condition names is not there.
      "dyn(request.resourceAttributes).size() == 7",
  };
  for (const std::string_view expression : good) {
    SCOPED_TRACE(expression);
    const ReviewMatch answer = match({expression}, kList);
    EXPECT_EQ(answer.error, "");
    EXPECT_TRUE(answer.matches);
  }
  EXPECT_TRUE(match({"request.nonResourceAttributes.path == '/livez'", "request.groups == []",
                     "request.extra == {}"},
                    kPath)
                  .matches);
  EXPECT_TRUE(match({}, kPath).matches);
}

TEST(ReviewCondition, OneThatIsFalseDecides) {
  const std::string_view fails = "request.resourceAttributes.verb == 'get'";
  const ReviewMatch error = match({fails, "request.user == 'jane'"}, kPath);
  EXPECT_FALSE(error.matches);
  EXPECT_EQ(error.error,
            "cel evaluation error: expression 'request.resourceAttributes.verb == 'get'' resulted "
            "in error: no such key: resourceAttributes");
  const ReviewMatch no = match({fails, "request.user == 'eve'"}, kPath);
  EXPECT_FALSE(no.matches);
  EXPECT_EQ(no.error, "");
  EXPECT_TRUE(match({fails, "request.extra.a == ['b']"}, kPath).error.starts_with("[cel "));
}

TEST(ReviewCondition, SaysWhatIsWrong) {
  EXPECT_EQ(compile_review_condition("request.user").error, "must evaluate to bool but got string");
  EXPECT_EQ(compile_review_condition("request.extra").error,
            "must evaluate to bool but got map(string, list(string))");
  EXPECT_EQ(compile_review_condition("request.name == 'a'").error,
            "compilation failed: ERROR: <input>:1:8: undefined field 'name'\n | request.name == "
            "'a'\n | .......^");
  EXPECT_TRUE(compile_review_condition("request.?resourceAttributes.?labelSelector.hasValue()")
                  .uses_label_selector);
  EXPECT_FALSE(compile_review_condition("request.user == 'fieldSelector'").uses_field_selector);
}

}  // namespace
}  // namespace proa::cel
