#pragma once

#include <string_view>

#include "apiserver/access/authz/authorizer.h"
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

}  // namespace proa::apiserver
