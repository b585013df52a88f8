#pragma once

#include "kinds/core/quota/usage/evaluator.h"

namespace proa::kinds::quota {

// PersistentVolumeClaims and the storage that they request, in total and by storage class
// ("gold.storageclass.storage.k8s.io/requests.storage").
class VolumeClaimQuota final : public Evaluator {
 public:
  bool measures(std::string_view name, const ClusterObjects& cluster) const override;
  // The status too: the allocated capacity may exceed the request.
  bool concerns(const Change& change) const override {
    return change.subresource.empty() || change.subresource == "status";
  }
  bool is_in_scope(api::View claim, const ScopeRule& rule) const override;
  Result<Amounts> usage(api::View claim, const ClusterObjects& cluster) const override;
};

}  // namespace proa::kinds::quota
