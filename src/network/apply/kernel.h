#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "netlink/route/routing.h"
#include "netlink/wireguard/wireguard.h"
#include "network/plan/plan.h"

namespace proa::network {

// The plan in the kernel: tunnel, its neighbours, routes. Compares with what is there and sends the
// difference; what is not ours is not touched. Used by one thread, in the network namespace of the
// node.
class Kernel {
 public:
  // REQUIRES: `clock` outlives it.
  static Result<Kernel> open(const NetworkOptions& options, Clock& clock);

  // What a plan needs to know of this machine.
  Result<MachineFacts> look(const NodeFacts& own, const std::vector<NodeFacts>& nodes);
  // On failure the rest is done nevertheless; the first failure is returned. The number of changes.
  Result<size_t> apply(const NetworkPlan& plan);
  // Index of the tunnel that the last apply() left; 0: none.
  int tunnel() const { return tunnel_; }
  // Removes everything that apply() makes.
  Result<void> remove();
  // And the bridge of the CNI plugin, for good: pods that are attached to it do not get it back.
  Result<void> remove_with_bridge();
  // Whether pods are attached to the bridge.
  Result<bool> bridge_in_use();

 private:
  Kernel(const NetworkOptions& options, netlink::Routing routing, Clock& clock)
      : options_(options), routing_(std::move(routing)), clock_(&clock) {}

  void note_network(MachineFacts& facts, const std::vector<netlink::Link>& links,
                    const netlink::LinkAddress& address) const;
  // Returns its index.
  Result<int> apply_tunnel(const Tunnel& wanted, size_t& changes);
  Result<int> apply_encrypted(const Tunnel& wanted, size_t& changes);
  Result<int> apply_link(const netlink::Link& link, size_t& changes);
  Result<void> apply_addresses(int link, const Tunnel& wanted, size_t& changes);
  Result<void> apply_neighbours(int link, const Tunnel& wanted, size_t& changes);
  Result<void> apply_routes(const NetworkPlan& plan, int tunnel, size_t& changes);
  bool is_ours(const netlink::Route& route) const;

  NetworkOptions options_;
  netlink::Routing routing_;
  Clock* clock_;
  std::optional<netlink::Wireguard> wireguard_;
  int tunnel_ = 0;
};

// Lets the kernel pass packets on between links, for the families of these ranges.
Result<void> enable_forwarding(const std::vector<IpPrefix>& ranges);

}  // namespace proa::network
