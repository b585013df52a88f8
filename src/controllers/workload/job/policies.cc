#include "controllers/workload/job/policies.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::controllers::jobs {
namespace policies {

using api::View;
using Action = FailureRule::Action;

Action action_of(std::string_view name) {
  if (name == "FailJob") return Action::kFailJob;
  if (name == "FailIndex") return Action::kFailIndex;
  if (name == "Ignore") return Action::kIgnore;
  return Action::kCount;
}

FailureRule::ExitCodes read_exit_codes(View wanted) {
  FailureRule::ExitCodes codes;
  if (wanted["containerName"].exists()) codes.container = wanted["containerName"].text();
  codes.among = wanted["operator"].text() == "In";
  for (const View code : wanted["values"].items()) codes.codes.push_back(code.integer());
  return codes;
}

const JobPod::Exit* find_exit(const FailureRule::ExitCodes& wanted, const JobPod& pod) {
  for (const JobPod::Exit& exit : pod.exits) {
    if (wanted.container && *wanted.container != exit.container) continue;
    const bool found =
        std::find(wanted.codes.begin(), wanted.codes.end(), exit.code) != wanted.codes.end();
    if (found == wanted.among) return &exit;
  }
  return nullptr;
}

// Why it fits; none when it does not.
std::optional<std::string> match(const FailureRule& rule, std::string_view name_space,
                                 const JobPod& pod) {
  if (rule.exit_codes) {
    const JobPod::Exit* exit = find_exit(*rule.exit_codes, pod);
    if (exit == nullptr) return std::nullopt;
    return fmt::format("Container {} for pod {}/{} failed with exit code {}", exit->container,
                       name_space, pod.name, exit->code);
  }
  for (const auto& condition : pod.conditions) {
    const auto& wanted = rule.conditions;
    if (std::find(wanted.begin(), wanted.end(), condition) == wanted.end()) continue;
    return fmt::format("Pod {}/{} has condition {}", name_space, pod.name, condition.first);
  }
  return std::nullopt;
}

bool is_met(const SuccessRule& rule, int64_t completions, const Indexes& succeeded) {
  if (!rule.indexes) return rule.count && succeeded.count() >= *rule.count;
  const Indexes wanted = Indexes::parse(*rule.indexes, completions);
  if (wanted.empty()) return false;
  // More than all of them can't be asked for, even where the job has shrunk.
  const int64_t enough = std::min(rule.count.value_or(wanted.count()), wanted.count());
  return succeeded.count_common(wanted) >= enough;
}

}  // namespace policies

std::vector<FailureRule> read_failure_rules(api::View policy) {
  std::vector<FailureRule> rules;
  for (const api::View one : policy["rules"].items()) {
    FailureRule rule;
    rule.action = policies::action_of(one["action"].text());
    if (one["onExitCodes"].exists())
      rule.exit_codes = policies::read_exit_codes(one["onExitCodes"]);
    for (const api::View condition : one["onPodConditions"].items()) {
      rule.conditions.emplace_back(condition["type"].text(), condition["status"].text("True"));
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

FailureVerdict judge_failure(const std::vector<FailureRule>& rules, std::string_view name_space,
                             const JobPod& pod) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::optional<std::string> why = policies::match(rules[i], name_space, pod);
    if (!why) continue;
    if (rules[i].action != FailureRule::Action::kFailJob) return {.action = rules[i].action};
    return {.action = rules[i].action,
            .message = fmt::format("{} matching FailJob rule at index {}", *why, i)};
  }
  return {};
}

std::vector<SuccessRule> read_success_rules(api::View policy) {
  std::vector<SuccessRule> rules;
  for (const api::View one : policy["rules"].items()) {
    SuccessRule rule;
    if (one["succeededIndexes"].exists()) rule.indexes = one["succeededIndexes"].text();
    if (one["succeededCount"].exists()) rule.count = one["succeededCount"].integer();
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::optional<std::string> judge_success(const std::vector<SuccessRule>& rules, int64_t completions,
                                         const Indexes& succeeded) {
  if (succeeded.empty()) return std::nullopt;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (policies::is_met(rules[i], completions, succeeded)) {
      return fmt::format("Matched rules at index {}", i);
    }
  }
  return std::nullopt;
}

}  // namespace proa::controllers::jobs
