#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/key.h"
#include "controllers/network/balancers/load_balancer.h"

// Decisions about Services whose load balancers are the nodes themselves: a port of a node's
// address leads to one Service, or to what else listens there.

namespace proa::controllers {

// A port of nodes that a Service cannot have.
struct PortUse {
  std::string port;                               // "80/TCP"
  std::string user;                               // "Service default/web"
  std::string node = {};                          // empty: on all nodes
  std::optional<IpFamily> family = std::nullopt;  // none: both
};

// Whether the first of two Services that want the same port has it: the one that has addresses,
// then the older one.
bool has_port_before(const api::Object& first, const api::Object& second);

struct AddressesOfNodes {
  std::vector<std::string> addresses = {};
  // Why addresses are missing: "port 80/TCP is used by Service default/web".
  std::vector<std::string> conflicts = {};
};

// The internal addresses, in these families, of usable nodes on which nothing else uses the ports;
// first family first, in the order of the nodes.
AddressesOfNodes choose_node_addresses(std::span<const api::ObjectPtr> nodes,
                                       std::span<const IpFamily> families,
                                       std::span<const PortUse> uses);

}  // namespace proa::controllers
