#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "netlink/route/types.h"
#include "network/model/node_facts.h"
#include "network/model/options.h"

namespace proa::network {

// How this machine reaches the address of another one.
struct Way {
  int link = 0;
  bool on_link = false;  // without a router in between
  bool local = false;    // it is this machine
  bool operator==(const Way&) const = default;
};

// A network that a link of this machine is in.
struct MachineNetwork {
  std::string link = {};
  IpPrefix prefix = {};  // with the machine's own address
};

struct MachineFacts {
  std::map<IpAddress, Way> ways = {};  // to addresses of nodes; without those that have no route
  uint32_t mtu = 1500;                 // of the link with this node's address
  std::vector<MachineNetwork> networks = {};  // without those of the pod network itself
};

// A route to pods of another node.
struct PodRoute {
  IpPrefix range = {};
  std::optional<IpAddress> gateway = {};
  int link = 0;  // 0: the tunnel
  bool operator==(const PodRoute&) const;
};

// A node behind the tunnel.
struct TunnelPeer {
  std::string node = {};
  netlink::MacAddress mac = {};
  IpAddress machine;                  // where packets for it are sent
  std::vector<IpAddress> inner = {};  // its own addresses in the tunnel
  // Encrypted: its key, and what is behind it.
  netlink::WireguardKey key = {};
  std::vector<IpPrefix> ranges = {};
  bool operator==(const TunnelPeer&) const = default;
};

// A VXLAN device, or a WireGuard device, which needs no MAC addresses.
struct Tunnel {
  bool encrypted = false;
  netlink::MacAddress mac = {};
  IpAddress local;
  uint32_t mtu = 0;
  std::vector<IpAddress> inner = {};
  std::vector<TunnelPeer> peers = {};
  // VXLAN: where packets for this node may come from, which are the addresses of all other nodes.
  // Whether a node uses the tunnel is its own decision.
  std::vector<IpAddress> senders = {};
  std::string str() const;
  bool operator==(const Tunnel&) const = default;
};

// What is to be on a node: a pure function of the Nodes and the machine.
struct NetworkPlan {
  std::vector<IpPrefix> ranges = {};  // of this node's pods; empty: not known yet
  uint32_t mtu = 0;                   // of pods
  std::optional<Tunnel> tunnel = {};
  std::vector<PodRoute> routes = {};
  std::vector<IpPrefix> pods = {};         // of all nodes
  std::vector<IpPrefix> cluster = {};      // what pods reach with their own address
  std::vector<std::string> problems = {};  // nodes that are left out, and why
  // Why the ranges of this node must not be used; empty if they may.
  std::string conflict = {};
  // What is wrong with this node, though pods run.
  std::vector<std::string> warnings = {};
  // For logs and tests.
  std::string str() const;
};
bool operator==(const NetworkPlan& a, const NetworkPlan& b);

// `own`: this node; `nodes`: all of the cluster, in any order, with or without this one.
NetworkPlan make_plan(const NetworkOptions& options, const NodeFacts& own,
                      const std::vector<NodeFacts>& nodes, const MachineFacts& machine);

// The MAC of a node in the tunnel: locally administered, derived from its name, so that nodes need
// not tell each other.
netlink::MacAddress tunnel_mac(std::string_view node);
// A node's address in the tunnel for a range: the first one, which no pod gets.
IpAddress tunnel_address(const IpPrefix& range);

}  // namespace proa::network
