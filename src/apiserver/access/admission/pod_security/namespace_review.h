#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "apiserver/access/admission/pod_security/configuration.h"
#include "base/clock.h"

namespace proa::apiserver::pod_security {

// Evaluates existing pods against a new standard of their namespace. They are not affected; the
// client is warned about those that could not be created again.
class NamespaceReview {
 public:
  // Bounds the latency of the request.
  struct Limits {
    size_t pods = 3000;
    Duration time = std::chrono::seconds(1);
  };

  // REQUIRES: both outlive it.
  NamespaceReview(const Exemptions& exemptions, const Clock& clock)
      : NamespaceReview(exemptions, clock, Limits{}) {}
  NamespaceReview(const Exemptions& exemptions, const Clock& clock, const Limits& limits)
      : exemptions_(exemptions), clock_(clock), limits_(limits) {}

  // Pods with the same violations are grouped.
  std::vector<std::string> warnings(std::string_view name_space, const Standard& standard,
                                    const std::vector<api::ObjectPtr>& pods) const;

 private:
  std::vector<api::ObjectPtr> prioritized(const std::vector<api::ObjectPtr>& pods) const;

  const Exemptions& exemptions_;
  const Clock& clock_;
  const Limits limits_;
};

}  // namespace proa::apiserver::pod_security
