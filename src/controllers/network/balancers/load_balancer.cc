#include "controllers/network/balancers/load_balancer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "controllers/network/objects.h"
#include "kinds/core/services/announcements.h"

namespace proa::controllers {
namespace load_balancer {

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

Forwarder read_node(const api::Object& object) {
  Forwarder forwarder;
  const Result<network::ForwarderNode> node = api::decode<network::ForwarderNode>(object);
  if (!node) return forwarder;
  forwarder.usable = !object.metadata().being_deleted && !is_excluded(object) && !is_going(*node) &&
                     is_ready(*node);
  for (const network::ForwarderAddress& address : node->status.addresses) {
    if (address.type != "InternalIP") continue;
    if (const auto parsed = parse_ip(address.address)) forwarder.addresses.push_back(*parsed);
  }
  const int64_t kubelet = node->status.daemons.kubelet.port;
  if (kubelet != 0) forwarder.kubelet_port = port_text(kubelet, "TCP");
  for (const std::string_view port : split(node->metadata.annotations.used_ports, ',')) {
    if (!port.empty()) forwarder.used_ports.emplace_back(port);
  }
  return forwarder;
}

BalancerFacts read_service(const api::Object& object) {
  BalancerFacts facts;
  const Result<network::Service> service = api::decode<network::Service>(object);
  if (!service) return facts;
  const network::ServiceSpec& spec = service->spec;
  facts.elsewhere = spec.balancer_class.is_set;
  facts.wanted = spec.type == "LoadBalancer" && !facts.elsewhere;
  facts.being_deleted = object.metadata().being_deleted;
  facts.announced = object.metadata().label(kinds::kAnnouncedLabel) != nullptr;
  for (const std::string& finalizer : service->metadata.finalizers) {
    if (finalizer == kBalancerFinalizer) facts.has_finalizer = true;
  }
  for (const network::BalancerIngress& ingress : service->status.balancer.ingress) {
    facts.addresses.push_back(ingress.ip);
  }
  facts.families = service_facts(object).families;
  facts.requested_ip = spec.balancer_ip;
  for (const network::ServicePortSpec& port : spec.ports) {
    if (facts.wanted) facts.ports.push_back(port_text(port.port, port.protocol));
    if (port.node_port != 0) facts.node_ports.push_back(port_text(port.node_port, port.protocol));
  }
  if (spec.health_check_port != 0) {
    facts.node_ports.push_back(port_text(spec.health_check_port, "TCP"));
  }
  facts.created = service->metadata.created;
  return facts;
}

}  // namespace load_balancer

const BalancerFacts& balancer_facts(const api::Object& service) {
  return service.kept<BalancerFacts>([&] { return load_balancer::read_service(service); });
}

const Forwarder& forwarder_of(const api::Object& node) {
  return node.kept<Forwarder>([&] { return load_balancer::read_node(node); });
}

std::string port_text(int64_t port, std::string_view protocol) {
  return fmt::format("{}/{}", port, protocol);
}

IpFamily family_of(const IpAddress& address) {
  return address.is_v4() ? IpFamily::kV4 : IpFamily::kV6;
}

}  // namespace proa::controllers
