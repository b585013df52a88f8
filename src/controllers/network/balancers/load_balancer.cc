#include "controllers/network/balancers/load_balancer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "controllers/network/objects.h"
#include "kinds/core/services/announcements.h"
#include "kinds/core/services/balancer_node.h"

namespace proa::controllers {
namespace load_balancer {

Forwarder read_node(const api::Object& object) {
  Forwarder forwarder;
  const Result<kinds::BalancerNode> node = api::decode<kinds::BalancerNode>(object);
  if (!node) return forwarder;
  forwarder.usable = !kinds::is_excluded_from_balancers(object, *node) && kinds::is_ready(*node);
  forwarder.addresses = kinds::internal_addresses(*node);
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
  for (const kinds::BalancerIngress& ingress : service->status.balancer.ingress) {
    facts.addresses.emplace_back(ingress.ip);
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
