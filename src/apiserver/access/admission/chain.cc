#include "apiserver/access/admission/chain.h"

namespace proa::apiserver {

Result<void> AdmissionChain::admit(api::Edit object, const Admission& admission) const {
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

std::vector<WriteHook*> AdmissionChain::hooks() const {
  std::vector<WriteHook*> hooks;
  for (const std::unique_ptr<AdmissionPlugin>& plugin : plugins_) {
    if (WriteHook* hook = plugin->hook()) hooks.push_back(hook);
  }
  return hooks;
}

}  // namespace proa::apiserver
