#pragma once

#include "kinds/core/quota/usage/evaluator.h"

namespace proa::kinds::quota {

// Pods and the resources that they request. Terminated pods only count as objects.
class PodQuota final : public Evaluator {
 public:
  bool measures(std::string_view name, const ClusterObjects& cluster) const override;
  bool concerns(const Change& change) const override;
  bool is_in_scope(api::View pod, const ScopeRule& rule) const override;
  std::string missing(api::View pod, const ResourceNames& names) const override;
  Result<Amounts> usage(api::View pod, const ClusterObjects& cluster) const override;
};

Amounts usage_of_pod(api::View pod, Time now);

// "requests.example.com/gpu": extended resources are limited by their requests.
bool is_extended_quota_name(std::string_view name);
inline constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

}  // namespace proa::kinds::quota
