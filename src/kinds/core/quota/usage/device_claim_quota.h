#pragma once

#include "kinds/core/quota/usage/evaluator.h"

namespace proa::kinds::quota {

// ResourceClaims and the devices that they request, by device class
// ("gpu.deviceclass.resource.k8s.io/devices"). If the class maps to an extended resource, devices
// count against that too, unless the pod that owns the claim was already charged.
class DeviceClaimQuota final : public Evaluator {
 public:
  bool measures(std::string_view name, const ClusterObjects& cluster) const override;
  bool concerns(const Change& change) const override { return change.subresource.empty(); }
  Result<Amounts> usage(api::View claim, const ClusterObjects& cluster) const override;
};

}  // namespace proa::kinds::quota
