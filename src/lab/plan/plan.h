#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"
#include "lab/plan/wish.h"

namespace proa::lab {

// What a machine is for.
enum class Role : uint8_t {
  kSwitch,  // connects the others: a bridge or a router; also the way in for the host
  kServer,  // runs the API server; also the first node, unless the server is apart
  kNode,
  kClient,  // a host outside of the cluster, in a subnet of its own
};

using MacAddress = std::array<uint8_t, 6>;

// A link between the switch and another machine.
struct Cable {
  std::string port = {};                      // its name at the switch: the name of the machine
  bool bridged = false;                       // the port is one of the bridge
  std::vector<IpPrefix> addresses = {};       // of the machine's end, which is `eth0`
  std::vector<IpPrefix> port_addresses = {};  // of the switch's end; none if it is bridged
  std::vector<IpAddress> gateways = {};       // of the machine
  MacAddress mac = {};
  MacAddress port_mac = {};
};

struct Machine {
  std::string name = {};  // also its host name, and that of its Node
  Role role = Role::kNode;
  Cable cable = {};                       // none for the switch
  std::vector<std::string> service = {};  // arguments of the `proa` that it runs; none: nothing
};

struct Plan {
  std::vector<Machine> machines = {};           // in the order of their start; the switch first
  std::vector<IpPrefix> bridge_addresses = {};  // of the switch; none without a bridge
  // Of its own: otherwise it is that of a port, and changes when the machine there dies.
  MacAddress bridge_mac = {};
  std::string server = {};  // "https://172.30.0.11:6443"
  IpAddress server_address = {};
  std::string hosts = {};  // /etc/hosts of every machine

  // kNotFound, naming those that exist.
  Result<const Machine*> find(std::string_view name) const;
};

inline constexpr std::string_view kBridge = "br0";
inline constexpr int kApiPort = 6443;

// All labs have the same addresses: each is a network of its own, which nothing else can reach.
Plan make_plan(const Wish& wish);

// "02:70:00:00:00:01"
std::string print_mac(const MacAddress& mac);

}  // namespace proa::lab
