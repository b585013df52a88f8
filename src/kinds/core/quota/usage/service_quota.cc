#include "kinds/core/quota/usage/service_quota.h"

#include <algorithm>

namespace proa::kinds::quota {
namespace service_quota {

constexpr std::string_view kCount = "count/services";
constexpr std::string_view kServices = "services";
constexpr std::string_view kNodePorts = "services.nodeports";
constexpr std::string_view kLoadBalancers = "services.loadbalancers";

// By the spec: the node ports may not be allocated yet.
int64_t count_node_ports(api::View spec) {
  const std::string_view type = spec["type"].text();
  const auto ports = spec["ports"].items();
  const auto count = static_cast<int64_t>(ports.size());
  if (type == "NodePort") return count;
  if (type != "LoadBalancer") return 0;
  if (spec["allocateLoadBalancerNodePorts"].flag(true)) return count;
  return std::count_if(ports.begin(), ports.end(),
                       [](api::View port) { return port["nodePort"].integer() != 0; });
}

}  // namespace service_quota

bool ServiceQuota::measures(std::string_view name, const ClusterObjects&) const {
  return name == service_quota::kCount || name == service_quota::kServices ||
         name == service_quota::kNodePorts || name == service_quota::kLoadBalancers;
}

Result<Amounts> ServiceQuota::usage(api::View service, const ClusterObjects&) const {
  const api::View spec = service["spec"];
  Amounts amounts;
  amounts.emplace(service_quota::kCount, api::Quantity(1));
  amounts.emplace(service_quota::kServices, api::Quantity(1));
  amounts.emplace(service_quota::kNodePorts, api::Quantity(service_quota::count_node_ports(spec)));
  amounts.emplace(service_quota::kLoadBalancers,
                  api::Quantity(spec["type"].text() == "LoadBalancer" ? 1 : 0));
  return amounts;
}

}  // namespace proa::kinds::quota
