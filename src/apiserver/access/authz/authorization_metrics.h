#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "apiserver/access/authz/authorizer.h"
#include "base/clock.h"
#include "base/metrics/labelled.h"
#include "base/time.h"

namespace proa::apiserver {

// Metrics of authorizers, with upstream's names. Thread-safe.
class AuthorizationMetrics {
 public:
  AuthorizationMetrics();

  // Counts decisions of an authorizer; lives as long as this. REQUIRES: not kNoOpinion, which is
  // not counted.
  Counter& decisions(std::string_view type, std::string_view name, Decision decision);

  // What match conditions said of one request.
  struct Conditions {
    bool failed = false;    // at least one
    bool excluded = false;  // the webhook is not asked: one is false
    Duration took{0};
  };
  void count_conditions(std::string_view webhook, const Conditions& conditions);

  // `result` of a call: "success", "error", "timeout" or "canceled".
  void count_call(std::string_view webhook, std::string_view result, Duration took);
  // A webhook that failed, and then has no opinion.
  void count_failed_open(std::string_view webhook, std::string_view result);

  void write(MetricsText& text) const;

 private:
  Labelled<Counter> decisions_;
  Labelled<Counter> condition_errors_;
  Labelled<Counter> condition_exclusions_;
  Labelled<Histogram> condition_seconds_;
  Labelled<Counter> calls_;
  Labelled<Histogram> call_seconds_;
  Labelled<Counter> failed_open_;
};

// How authorization of requests ended, with upstream's names: other questions, such as those of
// SubjectAccessReviews, do not count. Thread-safe; recording takes a few atomic additions.
class AuthorizationAttempts {
 public:
  // REQUIRES: `clock` outlives it.
  explicit AuthorizationAttempts(const Clock& clock);

  Steady begin() const { return clock_.steady(); }
  void end(Steady begin, Decision decision);

  void write(MetricsText& text) const;

 private:
  static constexpr size_t kDecisions = 3;

  const Clock& clock_;
  std::array<Counter, kDecisions> attempts_;
  std::array<Histogram, kDecisions> seconds_;
};

}  // namespace proa::apiserver
