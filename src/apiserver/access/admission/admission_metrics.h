#pragma once

#include <string_view>

#include "apiserver/access/admission/step_times.h"
#include "base/clock.h"
#include "base/metrics/labelled.h"

namespace proa::apiserver {

// Who has match conditions.
struct ConditionOwner {
  enum class Kind : uint8_t { kWebhook, kPolicy };
  std::string_view name;
  Kind kind;
  AdmissionStep step;
};

// What became of the call of a webhook.
struct ReviewOutcome {
  enum class Is : uint8_t {
    kAllowed,
    kRefused,   // by the webhook
    kFailed,    // calling it
    kInternal,  // this server could not ask, or could not use the answer
  };
  Is is = Is::kAllowed;
  int code = 200;        // of the answer, or what stands for it
  bool ignored = false;  // a failure, since the webhook's policy says so
};

// A policy that was evaluated by a binding.
struct PolicyCheck {
  std::string_view policy;
  std::string_view binding;
  // What went wrong, in upstream's words; empty: nothing.
  std::string_view error;
  Duration took{0};
};

// Metrics of webhooks and policies, with upstream's names. A request that concerns none of them
// gets to none of these. Thread-safe.
class AdmissionMetrics {
 public:
  // REQUIRES: it outlives this.
  explicit AdmissionMetrics(const Clock& clock);

  const Clock& clock() const { return clock_; }
  Steady now() const { return clock_.steady(); }
  Duration since(Steady begin) const { return clock_.steady() - begin; }

  void count_review(std::string_view webhook, AdmissionStep step, Operation operation,
                    const ReviewOutcome& outcome, Duration took);

  // Match conditions that failed, or were false. A failing one is an error even if another one is
  // false.
  void count_mismatch(const ConditionOwner& owner, Operation operation, size_t errors,
                      Duration took);
  // A webhook that was not called because of that.
  void count_exclusion(const ConditionOwner& owner, Operation operation);

  // `action`: "allow", "deny", "warn" or "audit".
  void count_validation(const PolicyCheck& check, std::string_view action);
  void count_mutation(const PolicyCheck& check);

  void write(MetricsText& text) const;

 private:
  const Clock& clock_;
  Labelled<Histogram> review_seconds_;
  Labelled<Counter> reviews_;
  Labelled<Counter> rejections_;
  Labelled<Counter> failed_open_;
  Labelled<Histogram> condition_seconds_;
  Labelled<Counter> condition_errors_;
  Labelled<Counter> condition_exclusions_;
  Labelled<Counter> validations_;
  Labelled<Histogram> validation_seconds_;
  Labelled<Counter> mutations_;
  Labelled<Histogram> mutation_seconds_;
};

}  // namespace proa::apiserver
