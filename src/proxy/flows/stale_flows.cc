#include "proxy/flows/stale_flows.h"

#include <algorithm>

namespace proa::proxy {
namespace stale_flows {

bool serves(const ServicePort& port, const Flow& flow) {
  const auto& endpoints = port.serving_endpoints;
  return std::any_of(endpoints.begin(), endpoints.end(), [&flow](const Endpoint& endpoint) {
    return endpoint.address == flow.answerer && endpoint.port == flow.answerer_port;
  });
}

}  // namespace stale_flows

StaleFlows::StaleFlows(Family family, std::span<const ServicePortPtr> ports) {
  for (const ServicePortPtr& port : ports) {
    if (port->family != family || port->serving_endpoints.empty()) continue;
    addresses_.emplace(Place(port->cluster_ip, port->port), port);
    for (const auto* addresses : {&port->external_ips, &port->load_balancer_ips}) {
      for (const IpAddress& address : *addresses) {
        addresses_.emplace(Place(address, port->port), port);
      }
    }
    if (port->node_port != 0) node_ports_.emplace(port->node_port, port);
  }
}

bool StaleFlows::contains(const Flow& flow) const {
  const auto at = addresses_.find(Place(flow.destination, flow.destination_port));
  if (at != addresses_.end() && !stale_flows::serves(*at->second, flow)) return true;
  const auto node_port = node_ports_.find(flow.destination_port);
  return node_port != node_ports_.end() && !stale_flows::serves(*node_port->second, flow);
}

}  // namespace proa::proxy
