#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/admission/step_times.h"
#include "base/clock.h"

namespace proa::apiserver {

// The enabled plugins, in order, and how long they take.
class AdmissionChain {
 public:
  AdmissionChain() = default;
  // Plugins without a name are not measured. REQUIRES: the clock outlives it.
  AdmissionChain(std::vector<NamedPlugin> plugins, const Clock& clock);

  // Mutating admission of all plugins, and later validating admission of all. Stops at the first
  // failure.
  Result<void> admit(api::Edit object, const Admission& admission) const;
  Result<void> admit_deletion(const Admission& admission) const;
  Result<void> validate(api::View object, const Admission& admission) const;
  // Whether any plugin has something to say.
  bool concerns(const Admission& admission) const;
  // The write hooks of all plugins.
  std::vector<WriteHook*> hooks() const;
  // With upstream's names.
  void write_metrics(MetricsText& text) const;

 private:
  struct Entry {
    std::string_view name;
    std::unique_ptr<AdmissionPlugin> plugin;
    std::unique_ptr<StepTimes> times;  // null: not measured
  };
  // Calls those that the write concerns.
  template <typename Call>
  Result<void> each(AdmissionStep step, const Admission& admission, const Call& call) const;
  // The same, as a step of admission.
  template <typename Call>
  Result<void> run(AdmissionStep step, const Admission& admission, const Call& call) const;

  std::vector<Entry> plugins_;
  const Clock* clock_ = nullptr;  // these are null if there are no plugins
  std::unique_ptr<StepTimes> times_ = nullptr;
};

}  // namespace proa::apiserver
