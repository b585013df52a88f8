#include "controllers/workload/job/policies.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::controllers::jobs {
namespace policies {

using Action = FailureRule::Action;

Action action_of(std::string_view name) {
  if (name == "FailJob") return Action::kFailJob;
  if (name == "FailIndex") return Action::kFailIndex;
  if (name == "Ignore") return Action::kIgnore;
  return Action::kCount;
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

// The message if the rule matches; nullopt otherwise.
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
  // The count is capped at the number of indexes: the job may have shrunk.
  const int64_t enough = std::min(rule.count.value_or(wanted.count()), wanted.count());
  return succeeded.count_common(wanted) >= enough;
}

}  // namespace policies

std::vector<FailureRule> read_failure_rules(const objects::JobFailurePolicy& policy) {
  std::vector<FailureRule> rules;
  for (const objects::JobFailureRule& one : policy.rules) {
    FailureRule rule;
    rule.action = policies::action_of(one.action);
    if (const auto& wanted = one.exit_codes) {
      rule.exit_codes = {
          .container = wanted->container, .among = wanted->op == "In", .codes = wanted->values};
    }
    for (const objects::JobConditionPattern& condition : one.conditions) {
      rule.conditions.emplace_back(condition.type, condition.status);
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

std::vector<SuccessRule> read_success_rules(const objects::JobSuccessPolicy& policy) {
  std::vector<SuccessRule> rules;
  for (const objects::JobSuccessRule& one : policy.rules) rules.push_back({one.indexes, one.count});
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
