#pragma once

#include "kinds/core/quota/usage/evaluator.h"

namespace proa::kinds::quota {

// ResourceClaims and the devices that they ask for, by device class
// ("gpu.deviceclass.resource.k8s.io/devices"). A class may stand for an extended resource: then
// devices count as that, too, unless the pod that the claim was made for was charged already.
class DeviceClaimQuota final : public Evaluator {
 public:
  bool measures(std::string_view name, const Surroundings& surroundings) const override;
  bool concerns(const Change& change) const override { return change.subresource.empty(); }
  Result<Amounts> usage(api::View claim, const Surroundings& surroundings) const override;
};

}  // namespace proa::kinds::quota
