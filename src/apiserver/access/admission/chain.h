#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// The plugins that are on, in their order.
class AdmissionChain {
 public:
  AdmissionChain() = default;
  explicit AdmissionChain(std::vector<std::unique_ptr<AdmissionPlugin>> plugins)
      : plugins_(std::move(plugins)) {}

  // All of them complete the object, then, later, all of them judge it. The first refusal counts.
  Result<void> admit(api::Edit object, const Admission& admission) const;
  Result<void> validate(api::View object, const Admission& admission) const;
  // What the plugins write along.
  std::vector<WriteHook*> hooks() const;

 private:
  std::vector<std::unique_ptr<AdmissionPlugin>> plugins_;
};

}  // namespace proa::apiserver
