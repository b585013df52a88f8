#pragma once

#include "kinds/core/quota/usage/evaluator.h"

namespace proa::kinds::quota {

// Services, their node ports and load balancers.
class ServiceQuota final : public Evaluator {
 public:
  bool measures(std::string_view name, const Surroundings& surroundings) const override;
  // Their type can change.
  bool concerns(const Change& change) const override { return change.subresource.empty(); }
  Result<Amounts> usage(api::View service, const Surroundings& surroundings) const override;
};

}  // namespace proa::kinds::quota
