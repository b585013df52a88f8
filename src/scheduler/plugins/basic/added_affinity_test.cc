#include "scheduler/plugins/basic/added_affinity.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::scheduler {
namespace {

std::string problem_of(std::string_view args) {
  const Result<AddedAffinity> read = read_added_affinity(json::parse(args)->root());
  return read ? "" : read.status().message();
}

std::string required(const std::string& term) {
  return R"({"addedAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
         R"({"nodeSelectorTerms":[)" +
         term + "]}}}";
}

std::string preferred(const std::string& weight, const std::string& term) {
  return R"({"addedAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":)"
         R"([{"weight":)" +
         weight + R"(,"preference":)" + term + "}]}}";
}

TEST(AddedAffinity, IsNothingWhereNobodySaysSo) {
  const Result<AddedAffinity> read = read_added_affinity({});
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read->required.has_value());
  EXPECT_TRUE(read->preferred.empty());
  EXPECT_EQ(problem_of(R"({"addedAffinity":null})"), "");
}

TEST(AddedAffinity, IsReadIntoSelectorsAndWeights) {
  const json::Document document = *json::parse(preferred(
      "7", R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["a"]}]})"));
  const Result<AddedAffinity> read = read_added_affinity(document.root());
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->preferred.size(), 1u);
  EXPECT_EQ(read->preferred[0].weight, 7);
  EXPECT_EQ(read->preferred[0].term.only_name(), "a");
}

TEST(AddedAffinity, IsRefusedWhereItCannotBeUnderstood) {
  const std::string at =
      "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].";
  struct Case {
    const char* name;
    std::string args;
    std::string problem;
  };
  const Case cases[] = {
      {"an operator of its own",
       required(R"({"matchExpressions":[{"key":"foo","operator":"bar"}]})"),
       at + R"(matchExpressions[0].operator: Unsupported value: "bar": supported values: "In", )"
            R"("NotIn", "Exists", "DoesNotExist", "Gt", "Lt")"},
      {"nothing to be in", required(R"({"matchExpressions":[{"key":"foo","operator":"In"}]})"),
       at + "matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values "
            "set can't be empty"},
      {"values of what merely exists",
       required(R"({"matchExpressions":[{"key":"foo","operator":"Exists","values":["a"]}]})"),
       at + R"(matchExpressions[0].values: Invalid value: ["a"]: values set must be empty for )"
            "exists and does not exist"},
      {"more than a word",
       required(R"({"matchExpressions":[{"key":"foo","operator":"Gt","values":["a"]}]})"),
       at + R"(matchExpressions[0].values[0]: Invalid value: "a": for 'Gt', 'Lt' operators, the )"
            "value must be an integer"},
      {"two names",
       required(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["a","b"]}]})"),
       at + R"(matchFields[0].values: Invalid value: ["a","b"]: must have one element)"},
      {"two problems",
       required(R"({"matchFields":[{"key":"metadata.name","operator":"Gt"},)"
                R"({"key":"metadata.name","operator":"In"}]})"),
       "[" + at + R"(matchFields[0].operator: Unsupported value: "Gt": supported values: "In", )" +
           R"("NotIn", )" + at +
           "matchFields[1].values: Invalid value: null: must have one element]"},
      {"a preference", preferred("1", R"({"matchFields":[{"key":"k","operator":"X"}]})"),
       "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].matchFields[0].operator: "
       R"(Unsupported value: "X": supported values: "In", "NotIn")"},
      {"a preference without weight", preferred("0", R"({"matchFields":[{"operator":"X"}]})"), ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(problem_of(c.args), c.problem);
  }
}

}  // namespace
}  // namespace proa::scheduler
