#include "network/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "network/model/hash.h"

namespace proa::network {
namespace plan {

// Outer Ethernet, IP, UDP and VXLAN headers.
constexpr uint32_t kOverV4 = 50;
constexpr uint32_t kOverV6 = 70;
// Outer IP, UDP and WireGuard headers.
constexpr uint32_t kEncryptedOverV4 = 60;
constexpr uint32_t kEncryptedOverV6 = 80;
// Below this IPv6 does not work.
constexpr uint32_t kLeastMtu = 1280;
// Larger than what a node is ever given; a Node with one would draw the traffic of others.
constexpr unsigned kLeastBits = 8;
constexpr unsigned kLeastBitsV6 = 32;

// The first address of a family.
const IpAddress* first_of(const std::vector<IpAddress>& addresses, bool v6) {
  const auto found = std::ranges::find_if(
      addresses, [&](const IpAddress& address) { return address.is_v4() != v6; });
  return found == addresses.end() ? nullptr : &*found;
}

std::string list(const std::vector<IpPrefix>& ranges) {
  std::string text;
  for (const IpPrefix& range : ranges) text += " " + range.str();
  return text;
}

class Planner {
 public:
  Planner(const NetworkOptions& options, const NodeFacts& own, const MachineFacts& machine)
      : options_(options), own_(own), machine_(machine) {}

  NetworkPlan run(std::vector<NodeFacts> nodes) {
    plan_.ranges = own_.ranges;
    plan_.mtu = machine_.mtu;
    if (options_.mode == Mode::kNone || own_.ranges.empty()) return std::move(plan_);
    plan_.cluster = own_.ranges;
    check_asked();
    for (const IpPrefix& range : own_.ranges) check_networks(range);
    // A fixed order: of two nodes that claim the same range, the same one wins on every node.
    std::ranges::sort(nodes, {}, &NodeFacts::name);
    for (const NodeFacts& node : nodes) {
      if (node.name != own_.name) add(node);
    }
    plan_.pods = plan_.cluster;
    plan_.cluster.insert(plan_.cluster.end(), options_.no_masquerade.begin(),
                         options_.no_masquerade.end());
    finish_tunnel(nodes);
    return std::move(plan_);
  }

 private:
  void problem(const NodeFacts& node, const std::string& text) {
    plan_.problems.push_back("node " + node.name + ": " + text);
  }

  void check_asked() {
    const auto& asked = options_.asked_ranges;
    if (asked.empty() || std::equal(asked.begin(), asked.end(), own_.ranges.begin(),
                                    own_.ranges.end(), same_prefix)) {
      return;
    }
    plan_.warnings.push_back(
        fmt::format("--pod-cidr{} is not used: Node {} has the pod range{}, which cannot be "
                    "changed; delete the "
                    "Node and restart to have it registered with the new one",
                    list(asked), own_.name, list(own_.ranges)));
  }

  // Of this machine's networks, those within the range would be cut off; a part of a larger one
  // would be.
  void check_networks(const IpPrefix& range) {
    for (const MachineNetwork& network : machine_.networks) {
      if (!overlap(range, network.prefix)) continue;
      std::string text = fmt::format(
          "the pod range {} overlaps with the network {} of this machine's link {}; choose another "
          "--pod-cidr or --cluster-cidr",
          range.str(), network.prefix.str(), network.link);
      const bool cut_off =
          network.prefix.bits >= range.bits || range.contains(network.prefix.address);
      if (cut_off && plan_.conflict.empty()) {
        plan_.conflict = std::move(text);
      } else {
        plan_.warnings.push_back(std::move(text));
      }
    }
  }

  // Whether a range may be routed at all.
  bool accept(const NodeFacts& node, const IpPrefix& range) {
    if (range.bits < (range.v6 ? kLeastBitsV6 : kLeastBits)) {
      problem(node, "its range " + range.str() + " is too large");
      return false;
    }
    for (const IpPrefix& taken : plan_.cluster) {
      if (!overlap(taken, range)) continue;
      problem(node, "its range " + range.str() + " overlaps with " + taken.str());
      return false;
    }
    // Those of further nodes do not count: a node that claims an address would cut another one off.
    for (const auto* addresses : {&own_.addresses, &node.addresses}) {
      for (const IpAddress& address : *addresses) {
        if (!range.contains(address)) continue;
        problem(node, "its range " + range.str() + " contains the node address " + address.str());
        return false;
      }
    }
    plan_.cluster.push_back(range);
    return true;
  }

  void add(const NodeFacts& node) {
    const bool here = std::ranges::any_of(node.addresses, [&](const IpAddress& address) {
      const auto way = machine_.ways.find(address);
      return way != machine_.ways.end() && way->second.local;
    });
    std::vector<IpPrefix> through;
    for (const IpPrefix& range : node.ranges) {
      // Pods of another node on this machine are behind a bridge of this machine.
      if (!accept(node, range) || here) continue;
      if (!add_route(node, range)) through.push_back(range);
    }
    if (!through.empty()) add_to_tunnel(node, through);
  }

  // Whether it can be reached without the tunnel.
  bool add_route(const NodeFacts& node, const IpPrefix& range) {
    if (options_.mode == Mode::kVxlan || options_.encryption) return false;
    for (const IpAddress& address : node.addresses) {
      if (address.is_v4() == range.v6) continue;
      const auto way = machine_.ways.find(address);
      if (way == machine_.ways.end() || !way->second.on_link) continue;
      plan_.routes.push_back({.range = range, .gateway = address, .link = way->second.link});
      return true;
    }
    return false;
  }

  void add_to_tunnel(const NodeFacts& node, const std::vector<IpPrefix>& ranges) {
    if (own_.addresses.empty()) return problem(node, "this node has no InternalIP yet");
    if (options_.encryption) keep_from_others(ranges);
    if (node.addresses.empty()) return problem(node, "it has no InternalIP yet");
    if (options_.mode == Mode::kRoutes) {
      return problem(node, "it is not on a link of this node; its pods are left to the routers");
    }
    const bool outer_v6 = !own_.addresses.front().is_v4();
    const IpAddress* machine = first_of(node.addresses, outer_v6);
    if (machine == nullptr) {
      return problem(node, fmt::format("it has no {} address", outer_v6 ? "IPv6" : "IPv4"));
    }
    if (options_.encryption) return add_encrypted(node, ranges, *machine);
    if (!plan_.tunnel) plan_.tunnel.emplace();
    TunnelPeer peer{.node = node.name, .mac = tunnel_mac(node.name), .machine = *machine};
    for (const IpPrefix& range : ranges) {
      peer.inner.push_back(tunnel_address(range));
      plan_.routes.push_back({.range = range, .gateway = tunnel_address(range), .link = 0});
    }
    plan_.tunnel->peers.push_back(std::move(peer));
  }

  // Also where the node is no peer: the device drops what it cannot encrypt; by other routes it
  // would leave in the clear.
  void keep_from_others(const std::vector<IpPrefix>& ranges) {
    if (!plan_.tunnel) plan_.tunnel.emplace();
    for (const IpPrefix& range : ranges) {
      plan_.routes.push_back({.range = range, .gateway = std::nullopt, .link = 0});
    }
  }

  void add_encrypted(const NodeFacts& node, const std::vector<IpPrefix>& ranges,
                     const IpAddress& machine) {
    if (!node.key) {
      return problem(node, fmt::format("it has no WireGuard key (annotation {}); start it with "
                                       "--pod-network-encryption",
                                       kKeyAnnotation));
    }
    const auto same = [&](const TunnelPeer& peer) { return peer.key == *node.key; };
    if (std::ranges::any_of(plan_.tunnel->peers, same)) {
      return problem(node, "it has the WireGuard key of another node");
    }
    plan_.tunnel->peers.push_back(
        {.node = node.name, .machine = machine, .key = *node.key, .ranges = ranges});
  }

  void finish_tunnel(const std::vector<NodeFacts>& nodes) {
    const bool always = options_.mode == Mode::kVxlan || options_.encryption.has_value();
    if (!plan_.tunnel && always && !own_.addresses.empty()) {
      // Made before there is a peer, so that pods have the right MTU from the beginning.
      plan_.tunnel.emplace();
    }
    if (!plan_.tunnel) return;
    Tunnel& tunnel = *plan_.tunnel;
    tunnel.local = own_.addresses.front();
    tunnel.encrypted = options_.encryption.has_value();
    const bool v4 = tunnel.local.is_v4();
    if (!tunnel.encrypted) {
      tunnel.mac = tunnel_mac(own_.name);
      tunnel.senders = senders_of(nodes, v4);
    }
    const uint32_t overhead =
        tunnel.encrypted ? (v4 ? kEncryptedOverV4 : kEncryptedOverV6) : (v4 ? kOverV4 : kOverV6);
    tunnel.mtu = std::max(machine_.mtu, kLeastMtu + overhead) - overhead;
    plan_.mtu = tunnel.mtu;
    for (const IpPrefix& range : own_.ranges) tunnel.inner.push_back(tunnel_address(range));
  }

  // Sorted, each once.
  std::vector<IpAddress> senders_of(const std::vector<NodeFacts>& nodes, bool v4) const {
    std::vector<IpAddress> all;
    for (const NodeFacts& node : nodes) {
      if (node.name == own_.name) continue;
      std::ranges::copy_if(node.addresses, std::back_inserter(all),
                           [&](const IpAddress& address) { return address.is_v4() == v4; });
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  const NetworkOptions& options_;
  const NodeFacts& own_;
  const MachineFacts& machine_;
  NetworkPlan plan_;
};

std::string list(const std::vector<IpAddress>& addresses) {
  std::string text;
  for (const IpAddress& address : addresses) text += " " + address.str();
  return text;
}

}  // namespace plan

bool PodRoute::operator==(const PodRoute& other) const {
  return same_prefix(range, other.range) && gateway == other.gateway && link == other.link;
}

bool operator==(const NetworkPlan& a, const NetworkPlan& b) {
  const auto same = [](const std::vector<IpPrefix>& x, const std::vector<IpPrefix>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_prefix);
  };
  return same(a.ranges, b.ranges) && a.mtu == b.mtu && a.tunnel == b.tunnel &&
         a.routes == b.routes && same(a.pods, b.pods) && same(a.cluster, b.cluster) &&
         a.problems == b.problems && a.conflict == b.conflict && a.warnings == b.warnings;
}

netlink::MacAddress tunnel_mac(std::string_view node) {
  const uint64_t hash = name_hash(node);
  netlink::MacAddress mac{0x02};
  for (size_t i = 1; i < mac.size(); ++i) mac[i] = static_cast<uint8_t>(hash >> (8 * i));
  return mac;
}

IpAddress tunnel_address(const IpPrefix& range) { return range.base(); }

NetworkPlan make_plan(const NetworkOptions& options, const NodeFacts& own,
                      const std::vector<NodeFacts>& nodes, const MachineFacts& machine) {
  return plan::Planner(options, own, machine).run(nodes);
}

std::string Tunnel::str() const {
  std::string text = fmt::format("tunnel {} local {} mtu {} inner{}\n",
                                 encrypted ? "wireguard" : netlink::mac_text(mac), local.str(), mtu,
                                 plan::list(inner));
  for (const TunnelPeer& peer : peers) {
    if (encrypted) {
      text += fmt::format("peer {} {} at {} ranges{}\n", peer.node, netlink::key_text(peer.key),
                          peer.machine.str(), plan::list(peer.ranges));
    } else {
      text += fmt::format("peer {} {} behind {} inner{}\n", peer.node, netlink::mac_text(peer.mac),
                          peer.machine.str(), plan::list(peer.inner));
    }
  }
  if (!senders.empty()) text += "senders" + plan::list(senders) + "\n";
  return text;
}

std::string NetworkPlan::str() const {
  std::string text = "pods" + plan::list(ranges) + fmt::format(" mtu {}\n", mtu);
  if (tunnel) text += tunnel->str();
  for (const PodRoute& route : routes) {
    text += fmt::format("route {}{} {}\n", route.range.str(),
                        route.gateway ? " via " + route.gateway->str() : "",
                        route.link == 0 ? "tunnel" : fmt::format("link {}", route.link));
  }
  text += "cluster" + plan::list(cluster) + "\n";
  for (const std::string& problem : problems) text += "problem: " + problem + "\n";
  if (!conflict.empty()) text += "conflict: " + conflict + "\n";
  for (const std::string& warning : warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace proa::network
