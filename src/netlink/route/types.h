#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/net/ip_address.h"

// What the kernel knows of the network, as values: links, addresses, routes, neighbours.

namespace proa::netlink {

using MacAddress = std::array<uint8_t, 6>;
// "02:00:0a:00:00:01"
std::string mac_text(const MacAddress& mac);
std::optional<MacAddress> parse_mac(std::string_view text);

// A VXLAN device whose forwarding entries come from us alone: it learns nothing.
struct Vxlan {
  uint32_t id = 1;
  uint16_t port = 4789;
  std::optional<IpAddress> local = {};  // source of the packets; none: the kernel chooses
  int below = 0;                        // index of the link they leave by; 0: any
  bool operator==(const Vxlan&) const = default;
};

struct Link {
  int index = 0;
  std::string name = {};
  std::string kind = {};  // "bridge", "vxlan", "veth"; empty for hardware and loopback
  uint32_t mtu = 0;
  bool up = false;  // by the administrator
  bool loopback = false;
  MacAddress mac = {};  // zero if it has none of 6 bytes
  int master = 0;       // index of the bridge it belongs to
  std::optional<Vxlan> vxlan = {};
  bool operator==(const Link&) const = default;
};

// An address of this machine.
struct LinkAddress {
  int link = 0;
  IpAddress address;
  unsigned bits = 0;
  bool tentative = false;  // IPv6, not usable yet
  bool operator==(const LinkAddress&) const = default;
};

struct Route {
  IpPrefix destination = {};
  std::optional<IpAddress> gateway = {};
  int link = 0;
  std::optional<IpAddress> source = {};  // preferred, for packets of this machine
  bool onlink = false;                   // the gateway is on the link even if no address says so
  uint32_t table = 254;                  // main
  uint8_t protocol = 4;                  // who made it: static
  uint32_t metric = 0;                   // 0: the kernel's default, which for IPv6 is 1024
  uint32_t mtu = 0;                      // 0: the link's
  std::string str() const;
};
bool operator==(const Route& a, const Route& b);

// A neighbour (address -> MAC) or, with `forwarding`, an entry of a bridge or VXLAN (MAC ->
// machine behind which it is).
struct Neighbour {
  int link = 0;
  bool forwarding = false;
  std::optional<IpAddress> address = {};  // forwarding: the machine, none in a bridge
  MacAddress mac = {};
  bool permanent = true;
  std::string str() const;
  bool operator==(const Neighbour&) const = default;
};

// How the kernel would send to an address.
struct RouteAnswer {
  int link = 0;
  std::optional<IpAddress> gateway = {};  // none: it is on the link itself
  std::optional<IpAddress> source = {};
  bool local = false;  // it is an address of this machine
  uint32_t mtu = 0;    // of the path, if known
};

}  // namespace proa::netlink
