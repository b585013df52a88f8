#pragma once

#include "kinds/core/quota/usage/evaluator.h"

namespace proa::kinds::quota {

// Services, their node ports and load balancers.
class ServiceQuota final : public Evaluator {
 public:
  bool measures(std::string_view name, const ClusterObjects& cluster) const override;
  // Updates too: the type of a service can change.
  bool concerns(const Change& change) const override { return change.subresource.empty(); }
  Result<Amounts> usage(api::View service, const ClusterObjects& cluster) const override;
};

}  // namespace proa::kinds::quota
