#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/workload/job/indexes.h"
#include "controllers/workload/job/job_pod.h"
#include "controllers/workload/objects/job.h"

namespace proa::controllers::jobs {

// A rule of spec.podFailurePolicy.
struct FailureRule {
  enum class Action : uint8_t { kCount, kIgnore, kFailIndex, kFailJob };
  struct ExitCodes {
    std::optional<std::string> container;  // nullopt: any container
    bool among = true;                     // In; false: NotIn
    std::vector<int64_t> codes;
  };

  Action action = Action::kCount;
  std::optional<ExitCodes> exit_codes = std::nullopt;                // else:
  std::vector<std::pair<std::string, std::string>> conditions = {};  // type, status
};

std::vector<FailureRule> read_failure_rules(const objects::JobFailurePolicy& policy);

// The action of the first matching rule; the default if none matches.
struct FailureVerdict {
  FailureRule::Action action = FailureRule::Action::kCount;
  std::string message = {};  // of kFailJob: upstream's message

  bool counts() const { return action != FailureRule::Action::kIgnore; }
};
FailureVerdict judge_failure(const std::vector<FailureRule>& rules, std::string_view name_space,
                             const JobPod& pod);

// A rule of spec.successPolicy.
struct SuccessRule {
  std::optional<std::string> indexes = std::nullopt;  // nullopt: any index
  std::optional<int64_t> count = std::nullopt;        // nullopt: all of them
};

std::vector<SuccessRule> read_success_rules(const objects::JobSuccessPolicy& policy);

// The message of the first rule that is met, as upstream's; nullopt if none is.
std::optional<std::string> judge_success(const std::vector<SuccessRule>& rules, int64_t completions,
                                         const Indexes& succeeded);

}  // namespace proa::controllers::jobs
