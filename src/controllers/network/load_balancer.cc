#include "controllers/network/load_balancer.h"

#include <algorithm>

#include "base/net/ip_address.h"
#include "controllers/network/objects.h"

namespace proa::controllers {
namespace load_balancer {

// A node as a forwarder of load balancer traffic.
struct Forwarder {
  bool usable = false;
  std::vector<std::pair<IpFamily, std::string>> addresses = {};
  bool operator==(const Forwarder&) const = default;
};

// Go's strconv.ParseBool; other values count as excluded.
bool is_excluded(const api::Object& node) {
  const auto* mark =
      node.metadata().label("node.kubernetes.io/exclude-from-external-load-balancers");
  if (mark == nullptr) return false;
  constexpr std::string_view kFalse[] = {"0", "f", "F", "false", "False", "FALSE"};
  return std::find(std::begin(kFalse), std::end(kFalse), *mark) == std::end(kFalse);
}

// Tainted by the cluster autoscaler before deletion.
bool is_going(const network::ForwarderNode& node) {
  const auto& taints = node.spec.taints;
  return std::any_of(taints.begin(), taints.end(), [](const network::ForwarderTaint& taint) {
    return taint.key == "ToBeDeletedByClusterAutoscaler";
  });
}

bool is_ready(const network::ForwarderNode& node) {
  const auto& conditions = node.status.conditions;
  return std::any_of(conditions.begin(), conditions.end(),
                     [](const network::ForwarderCondition& condition) {
                       return condition.type == "Ready" && condition.status == "True";
                     });
}

Forwarder read(const api::Object& object) {
  Forwarder forwarder;
  const Result<network::ForwarderNode> node = api::decode<network::ForwarderNode>(object);
  if (!node) return forwarder;
  forwarder.usable = !object.metadata().being_deleted && !is_excluded(object) && !is_going(*node) &&
                     is_ready(*node);
  for (const network::ForwarderAddress& address : node->status.addresses) {
    if (address.type != "InternalIP") continue;
    const auto parsed = parse_ip(address.address);
    if (!parsed) continue;
    forwarder.addresses.emplace_back(parsed->is_v4() ? IpFamily::kV4 : IpFamily::kV6,
                                     parsed->str());
  }
  return forwarder;
}

const Forwarder& forwarder_of(const api::Object& node) {
  return node.kept<Forwarder>([&] { return read(node); });
}

BalancerFacts read_service(const api::Object& object) {
  BalancerFacts facts;
  const Result<network::Service> service = api::decode<network::Service>(object);
  if (!service) return facts;
  facts.elsewhere = service->spec.balancer_class.is_set;
  facts.wanted = service->spec.type == "LoadBalancer" && !facts.elsewhere;
  facts.being_deleted = object.metadata().being_deleted;
  for (const std::string& finalizer : service->metadata.finalizers) {
    if (finalizer == kBalancerFinalizer) facts.has_finalizer = true;
  }
  for (const network::BalancerIngress& ingress : service->status.balancer.ingress) {
    facts.addresses.push_back(ingress.ip);
  }
  facts.families = service_facts(object).families;
  return facts;
}

}  // namespace load_balancer

const BalancerFacts& balancer_facts(const api::Object& service) {
  return service.kept<BalancerFacts>([&] { return load_balancer::read_service(service); });
}

bool is_same_forwarder(const api::Object& before, const api::Object& after) {
  return load_balancer::forwarder_of(before) == load_balancer::forwarder_of(after);
}

std::vector<std::string> balancer_addresses(std::span<const api::ObjectPtr> nodes,
                                            std::span<const IpFamily> families) {
  std::vector<std::string> addresses;
  for (const IpFamily family : families) {
    for (const api::ObjectPtr& node : nodes) {
      const load_balancer::Forwarder& forwarder = load_balancer::forwarder_of(*node);
      if (!forwarder.usable) continue;
      for (const auto& [kind, address] : forwarder.addresses) {
        if (kind == family) addresses.push_back(address);
      }
    }
  }
  return addresses;
}

}  // namespace proa::controllers
