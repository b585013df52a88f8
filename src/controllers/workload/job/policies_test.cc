#include "controllers/workload/job/policies.h"

#include <gtest/gtest.h>

namespace proa::controllers::jobs {
namespace {

using Action = FailureRule::Action;

std::vector<FailureRule> failure_rules(std::string_view rules) {
  const std::string text = "{\"rules\":" + std::string(rules) + "}";
  return read_failure_rules(api::decode<objects::JobFailurePolicy>(text).value());
}

JobPod failed_pod(std::vector<JobPod::Exit> exits,
                  std::vector<std::pair<std::string, std::string>> conditions = {}) {
  JobPod pod;
  pod.name = "p";
  pod.exits = std::move(exits);
  pod.conditions = std::move(conditions);
  return pod;
}

TEST(FailurePolicy, TheFirstRuleThatFitsDecides) {
  const char* const kFailOn3 =
      R"({"action":"FailJob","onExitCodes":{"operator":"In","values":[3,4]}})";
  const char* const kIgnoreDisruption =
      R"({"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget","status":"True"}]})";
  const char* const kIndexUnless1 =
      R"({"action":"FailIndex","onExitCodes":{"containerName":"main","operator":"NotIn","values":[1]}})";
  const char* const kCountOn3 =
      R"({"action":"Count","onExitCodes":{"operator":"In","values":[3]}})";
  struct Case {
    const char* name;
    std::vector<std::string> rules;
    JobPod pod;
    Action action;
    const char* message;
  };
  const Case cases[] = {
      {"no rules", {}, failed_pod({{"c", 3}}), Action::kCount, ""},
      {"none fits", {kFailOn3}, failed_pod({{"c", 1}}), Action::kCount, ""},
      {"exit code",
       {kFailOn3},
       failed_pod({{"a", 1}, {"b", 4}}),
       Action::kFailJob,
       "Container b for pod ns/p failed with exit code 4 matching FailJob rule at index 0"},
      {"the order counts", {kCountOn3, kFailOn3}, failed_pod({{"c", 3}}), Action::kCount, ""},
      {"condition",
       {kFailOn3, kIgnoreDisruption},
       failed_pod({}, {{"Ready", "False"}, {"DisruptionTarget", "True"}}),
       Action::kIgnore,
       ""},
      {"condition of another status",
       {kIgnoreDisruption},
       failed_pod({}, {{"DisruptionTarget", "False"}}),
       Action::kCount,
       ""},
      {"not in", {kIndexUnless1}, failed_pod({{"main", 7}}), Action::kFailIndex, ""},
      {"not in, but it is", {kIndexUnless1}, failed_pod({{"main", 1}}), Action::kCount, ""},
      {"another container", {kIndexUnless1}, failed_pod({{"side", 7}}), Action::kCount, ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::string rules;
    for (const std::string& rule : c.rules) rules += (rules.empty() ? "" : ",") + rule;
    const FailureVerdict verdict = judge_failure(failure_rules("[" + rules + "]"), "ns", c.pod);
    EXPECT_EQ(verdict.action, c.action);
    EXPECT_EQ(verdict.message, c.message);
    EXPECT_EQ(verdict.counts(), c.action != Action::kIgnore);
  }
}

TEST(FailurePolicy, TellsTheConditionThatEndsAJob) {
  const auto rules =
      failure_rules(R"([{"action":"Count","onPodConditions":[{"type":"A","status":"True"}]},)"
                    R"({"action":"FailJob","onPodConditions":[{"type":"B","status":"False"}]}])");
  EXPECT_EQ(judge_failure(rules, "ns", failed_pod({}, {{"B", "False"}})).message,
            "Pod ns/p has condition B matching FailJob rule at index 1");
}

TEST(SuccessPolicy, TellsTheRuleThatIsMet) {
  struct Case {
    const char* name;
    std::vector<SuccessRule> rules;
    const char* succeeded;
    std::optional<std::string> expected;
  };
  const std::string first = "Matched rules at index 0";
  const Case cases[] = {
      {"no rules", {}, "1-3", std::nullopt},
      {"nothing succeeded", {{.count = 0}}, "", std::nullopt},
      {"count", {{.count = 2}}, "1,5", first},
      {"count not reached", {{.count = 3}}, "1,5", std::nullopt},
      {"all of some", {{.indexes = "1-3"}}, "0-3", first},
      {"not all of some", {{.indexes = "1-3"}}, "0-2", std::nullopt},
      {"enough of some", {{.indexes = "1-3", .count = 2}}, "0-2", first},
      {"not enough of some", {{.indexes = "1-3", .count = 2}}, "0,1,7", std::nullopt},
      {"the second", {{.indexes = "4"}, {.count = 1}}, "3", "Matched rules at index 1"},
      {"unreadable", {{.indexes = "x"}}, "3", std::nullopt},
      {"beyond what there is now", {{.indexes = "1,20", .count = 2}}, "1", first},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge_success(c.rules, 10, Indexes::parse(c.succeeded, 10)), c.expected);
  }
}

}  // namespace
}  // namespace proa::controllers::jobs
