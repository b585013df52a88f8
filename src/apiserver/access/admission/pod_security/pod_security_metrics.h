#pragma once

#include <string_view>

#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/admission/pod_security/policy.h"
#include "base/metrics/labelled.h"

namespace proa::apiserver::pod_security {

// Metrics of Pod Security, with upstream's names. Thread-safe.
class PodSecurityMetrics {
 public:
  PodSecurityMetrics();

  // A standard that allowed or denied an object. `mode`: "enforce", "audit" or "warn".
  void count_evaluation(bool allowed, const Standard& standard, std::string_view mode,
                        const Admission& admission);
  void count_exemption(const Admission& admission);
  // `fatal`: the object could not be evaluated.
  void count_error(bool fatal, const Admission& admission);

  void write(MetricsText& text) const;

 private:
  Labelled<Counter> evaluations_;
  Labelled<Counter> exemptions_;
  Labelled<Counter> errors_;
  // What happens to pods in most clusters, without a lookup.
  Counter& privileged_creates_;
  Counter& privileged_updates_;
};

}  // namespace proa::apiserver::pod_security
