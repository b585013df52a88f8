#include "apiserver/access/admission/chain.h"

#include <algorithm>

#include "apiserver/access/admission/reinvocation.h"

namespace proa::apiserver {

Result<void> AdmissionChain::admit(api::Edit object, const Admission& admission) const {
  Reinvocation reinvocation;
  Admission round = admission;
  round.reinvocation = &reinvocation;
  TRY(admit_once(object, round));
  if (!reinvocation.is_wanted()) return {};
  reinvocation.begin_second_round();
  return admit_once(object, round);
}

Result<void> AdmissionChain::admit_deletion(const Admission& admission) const {
  for (const std::unique_ptr<AdmissionPlugin>& plugin : plugins_) {
    if (plugin->concerns(admission)) TRY(plugin->admit_deletion(admission));
  }
  return {};
}

Result<void> AdmissionChain::admit_once(api::Edit object, const Admission& admission) const {
  for (const std::unique_ptr<AdmissionPlugin>& plugin : plugins_) {
    if (plugin->concerns(admission)) TRY(plugin->admit(object, admission));
  }
  return {};
}

Result<void> AdmissionChain::validate(api::View object, const Admission& admission) const {
  for (const std::unique_ptr<AdmissionPlugin>& plugin : plugins_) {
    if (plugin->concerns(admission)) TRY(plugin->validate(object, admission));
  }
  return {};
}

bool AdmissionChain::concerns(const Admission& admission) const {
  return std::ranges::any_of(plugins_, [&](const std::unique_ptr<AdmissionPlugin>& plugin) {
    return plugin->concerns(admission);
  });
}

std::vector<WriteHook*> AdmissionChain::hooks() const {
  std::vector<WriteHook*> hooks;
  for (const std::unique_ptr<AdmissionPlugin>& plugin : plugins_) {
    if (WriteHook* hook = plugin->hook()) hooks.push_back(hook);
  }
  return hooks;
}

}  // namespace proa::apiserver
