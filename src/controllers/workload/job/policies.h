#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/workload/job/indexes.h"
#include "controllers/workload/job/job_pod.h"
#include "controllers/workload/objects/job.h"

namespace proa::controllers::jobs {

// What a failed pod means for its job (spec.podFailurePolicy).
struct FailureRule {
  enum class Action : uint8_t { kCount, kIgnore, kFailIndex, kFailJob };
  struct ExitCodes {
    std::optional<std::string> container;  // none: any
    bool among = true;                     // or not among
    std::vector<int64_t> codes;
  };

  Action action = Action::kCount;
  std::optional<ExitCodes> exit_codes = std::nullopt;                // else:
  std::vector<std::pair<std::string, std::string>> conditions = {};  // type, status
};

std::vector<FailureRule> read_failure_rules(const objects::JobFailurePolicy& policy);

// What the first rule that fits says; an ordinary failure where none does.
struct FailureVerdict {
  FailureRule::Action action = FailureRule::Action::kCount;
  std::string message = {};  // of kFailJob: why, in upstream's words

  bool counts() const { return action != FailureRule::Action::kIgnore; }
};
FailureVerdict judge_failure(const std::vector<FailureRule>& rules, std::string_view name_space,
                             const JobPod& pod);

// Which indexes are enough for success (spec.successPolicy).
struct SuccessRule {
  std::optional<std::string> indexes = std::nullopt;  // none: any
  std::optional<int64_t> count = std::nullopt;        // none: all of them
};

std::vector<SuccessRule> read_success_rules(const objects::JobSuccessPolicy& policy);

// Which rule is met, in upstream's words; none when none is.
std::optional<std::string> judge_success(const std::vector<SuccessRule>& rules, int64_t completions,
                                         const Indexes& succeeded);

}  // namespace proa::controllers::jobs
