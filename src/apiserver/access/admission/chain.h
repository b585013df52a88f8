#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// The enabled plugins, in order.
class AdmissionChain {
 public:
  AdmissionChain() = default;
  explicit AdmissionChain(std::vector<std::unique_ptr<AdmissionPlugin>> plugins)
      : plugins_(std::move(plugins)) {}

  // Mutating admission of all plugins, and later validating admission of all. Stops at the first
  // failure.
  Result<void> admit(api::Edit object, const Admission& admission) const;
  Result<void> admit_deletion(const Admission& admission) const;
  Result<void> validate(api::View object, const Admission& admission) const;
  // Whether any plugin has something to say.
  bool concerns(const Admission& admission) const;
  // The write hooks of all plugins.
  std::vector<WriteHook*> hooks() const;

 private:
  Result<void> admit_once(api::Edit object, const Admission& admission) const;

  std::vector<std::unique_ptr<AdmissionPlugin>> plugins_;
};

}  // namespace proa::apiserver
