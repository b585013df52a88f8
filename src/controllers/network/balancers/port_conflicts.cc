#include "controllers/network/balancers/port_conflicts.h"

#include <algorithm>
#include <tuple>

namespace proa::controllers {
namespace port_conflicts {

std::string describe(const PortUse& use) {
  const std::string place = use.node.empty() ? "" : " of node " + use.node;
  return "port " + use.port + place + " is used by " + use.user;
}

// Null if the address is free.
const PortUse* user_of(const IpAddress& address, std::string_view node,
                       std::span<const PortUse> uses) {
  for (const PortUse& use : uses) {
    const bool here = use.node.empty() || use.node == node;
    if (here && (!use.family || use.family == family_of(address))) return &use;
  }
  return nullptr;
}

}  // namespace port_conflicts

bool has_port_before(const api::Object& first, const api::Object& second) {
  const auto rank = [](const api::Object& service) {
    const BalancerFacts& facts = balancer_facts(service);
    return std::tuple(facts.addresses.empty(), facts.created, client::Key::of(service));
  };
  return rank(first) < rank(second);
}

AddressesOfNodes choose_node_addresses(std::span<const api::ObjectPtr> nodes,
                                       std::span<const IpFamily> families,
                                       std::span<const PortUse> uses) {
  AddressesOfNodes chosen;
  for (const IpFamily family : families) {
    for (const api::ObjectPtr& node : nodes) {
      const Forwarder& forwarder = forwarder_of(*node);
      if (!forwarder.usable) continue;
      for (const IpAddress& address : forwarder.addresses) {
        if (family_of(address) != family) continue;
        const PortUse* use = port_conflicts::user_of(address, node->metadata().name, uses);
        if (use == nullptr) {
          chosen.addresses.push_back(address.str());
          continue;
        }
        std::string conflict = port_conflicts::describe(*use);
        auto& all = chosen.conflicts;
        if (std::find(all.begin(), all.end(), conflict) == all.end()) {
          all.push_back(std::move(conflict));
        }
      }
    }
  }
  return chosen;
}

}  // namespace proa::controllers
