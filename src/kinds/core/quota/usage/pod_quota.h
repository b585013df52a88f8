#pragma once

#include "kinds/core/quota/usage/evaluator.h"

namespace proa::kinds::quota {

// Pods and what they ask for. Those that came to their end are only objects.
class PodQuota final : public Evaluator {
 public:
  bool measures(std::string_view name, const Surroundings& surroundings) const override;
  bool concerns(const Change& change) const override;
  bool is_in_scope(api::View pod, const ScopeRule& rule) const override;
  std::string missing(api::View pod, const ResourceNames& names) const override;
  Result<Amounts> usage(api::View pod, const Surroundings& surroundings) const override;
};

Amounts usage_of_pod(api::View pod, Time now);

// "requests.example.com/gpu": somebody else's resources are limited by what is requested.
bool is_extended_quota_name(std::string_view name);
inline constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

}  // namespace proa::kinds::quota
