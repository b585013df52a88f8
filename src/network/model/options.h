#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"
#include "netlink/wireguard/wireguard.h"

namespace proa::network {

// How packets get from the pods of one node to those of another.
enum class Mode : uint8_t {
  kAuto,    // by routes to nodes on the same link, by VXLAN to the others
  kRoutes,  // by routes; what is behind a router is the router's business
  kVxlan,   // by VXLAN, always
  kNone,    // by whatever the user installs; Proa does nothing
};
// "auto", "routes", "vxlan", "none".
std::optional<Mode> parse_mode(std::string_view text);
std::string_view mode_name(Mode mode);

// Packets between nodes are encrypted by WireGuard.
struct Encryption {
  netlink::WireguardKey private_key = {};
  uint16_t port = 51820;
};

struct NetworkOptions {
  Mode mode = Mode::kAuto;
  // The names of everything that is made; different for each node on a machine.
  std::string bridge = "proa0";
  std::string tunnel = "proa0v";
  uint32_t vxlan_id = 244;
  uint16_t vxlan_port = 4789;
  // Destinations outside of the cluster that see the addresses of pods.
  std::vector<IpPrefix> no_masquerade = {};
  std::optional<Encryption> encryption = {};
  // Where this node answers DNS to its pods; firewalls are to accept their packets.
  std::vector<IpAddress> dns = {};
  // Ranges that were asked for on the command line; a Node keeps those that it has.
  std::vector<IpPrefix> asked_ranges = {};
};

// Marks our routes: protocol of rtnetlink, and a metric that differs between the nodes of one
// machine. It is high, so that routes of the administrator win.
constexpr uint8_t kRouteProtocol = 80;
uint32_t route_metric(const NetworkOptions& options);

// Of nf_tables; different for each node on a machine.
std::string table_name(const NetworkOptions& options);

}  // namespace proa::network
