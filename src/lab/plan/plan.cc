#include "lab/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"

namespace proa::lab {
namespace plan {

// Subnets 172.30.N.0/24 and fd30:6c61:62:N::/64: neither the usual ranges of pods and Services, nor
// those of Docker. Number zero is the bridge's.
constexpr int kClientSubnet = 255;
constexpr int kGateway = 1;
constexpr int kFirstNode = 10;
constexpr int kClient = 2;
constexpr int kServerSubnet = 254;  // of a server that is apart, if machines are routed
constexpr unsigned kV4Bits = 24;
constexpr unsigned kV6Bits = 64;

constexpr std::string_view kV4Services = "10.96.0.0/16";
constexpr std::string_view kV6Services = "fd30:6c61:63::/112";

// Locally administered; the fifth byte tells the ends of a cable apart.
MacAddress mac_of(uint8_t end, int number) {
  return {0x02, 0x70, 0x72, 0x6f, end, static_cast<uint8_t>(number)};
}

IpPrefix prefix(const std::string& text) {
  const auto parsed = parse_prefix(text);
  CHECK(parsed.has_value());
  return *parsed;
}

bool has_v4(Families families) { return families != Families::kV6; }
bool has_v6(Families families) { return families != Families::kV4; }

std::vector<IpPrefix> addresses(Families families, int subnet, int host) {
  std::vector<IpPrefix> list;
  if (has_v4(families))
    list.push_back(prefix(fmt::format("172.30.{}.{}/{}", subnet, host, kV4Bits)));
  if (has_v6(families)) {
    list.push_back(prefix(fmt::format("fd30:6c61:62:{}::{}/{}", subnet, host, kV6Bits)));
  }
  return list;
}

std::vector<IpAddress> without_bits(const std::vector<IpPrefix>& prefixes) {
  std::vector<IpAddress> list;
  for (const IpPrefix& each : prefixes) list.push_back(each.address);
  return list;
}

Cable cable_of(const Wish& wish, const std::string& name, int subnet, int host, int number) {
  Cable cable{.port = name, .bridged = subnet == 0};
  cable.addresses = addresses(wish.families, subnet, host);
  const std::vector<IpPrefix> gateways = addresses(wish.families, subnet, kGateway);
  if (!cable.bridged) cable.port_addresses = gateways;
  cable.gateways = without_bits(gateways);
  cable.mac = mac_of(0, number);
  cable.port_mac = mac_of(1, number);
  return cable;
}

std::string joined(Families families, std::string_view v4, std::string_view v6) {
  std::vector<std::string_view> parts;
  if (has_v4(families)) parts.push_back(v4);
  if (has_v6(families)) parts.push_back(v6);
  return join(parts, ",");
}

std::string addresses_text(const Cable& cable) {
  std::vector<std::string> list;
  for (const IpPrefix& each : cable.addresses) list.push_back(each.address.str());
  return join(list, ",");
}

std::vector<std::string> server_words(const Wish& wish, const Machine& machine) {
  const std::string any = has_v4(wish.families) ? "0.0.0.0" : "[::]";
  std::vector<std::string> words{
      wish.server_apart ? "server" : "up", fmt::format("--listen={}:{}", any, kApiPort),
      "--advertise-address=" + machine.cable.addresses[0].address.str(),
      "--service-cluster-ip-range=" + joined(wish.families, kV4Services, kV6Services)};
  if (!wish.server_apart) {
    words.push_back("--node-name=" + machine.name);
    words.push_back("--node-ip=" + addresses_text(machine.cable));
  }
  words.insert(words.end(), wish.server_flags.begin(), wish.server_flags.end());
  return words;
}

std::vector<std::string> node_words(const Wish& wish, const Machine& machine,
                                    const std::string& server) {
  std::vector<std::string> words{"node", "--server=" + server, "--node-name=" + machine.name,
                                 "--node-ip=" + addresses_text(machine.cable)};
  words.insert(words.end(), wish.node_flags.begin(), wish.node_flags.end());
  return words;
}

// The machine of the API server. `number`: that of the node which it is; zero if it is none.
Machine server_machine(const Wish& wish, int number, Plan& made) {
  const std::string name = number == 0 ? "server" : fmt::format("node-{}", number);
  Machine machine{.name = name, .role = Role::kServer};
  const int own = number == 0 ? kServerSubnet : number;
  const int subnet = wish.topology == Topology::kBridged ? 0 : own;
  machine.cable = cable_of(wish, name, subnet, kFirstNode + number, own);
  made.server_address = machine.cable.addresses[0].address;
  std::string address = made.server_address.str();
  if (!made.server_address.is_v4()) address = "[" + address + "]";
  made.server = fmt::format("https://{}:{}", address, kApiPort);
  machine.service = server_words(wish, machine);
  return machine;
}

Machine node_machine(const Wish& wish, int number, const std::string& server) {
  Machine machine{.name = fmt::format("node-{}", number), .role = Role::kNode};
  const int subnet = wish.topology == Topology::kBridged ? 0 : number;
  machine.cable = cable_of(wish, machine.name, subnet, kFirstNode + number, number);
  machine.service = node_words(wish, machine, server);
  return machine;
}

std::string hosts_text(const std::vector<Machine>& machines) {
  std::string text =
      "127.0.0.1 localhost\n"
      "::1 localhost ip6-localhost ip6-loopback\n";
  for (const Machine& machine : machines) {
    for (const IpPrefix& each : machine.cable.addresses) {
      text += each.address.str() + " " + machine.name + "\n";
    }
  }
  return text;
}

}  // namespace plan

Result<const Machine*> Plan::find(std::string_view name) const {
  const auto found = std::ranges::find(machines, name, &Machine::name);
  if (found != machines.end()) return &*found;
  std::vector<std::string> names;
  for (const Machine& machine : machines) names.push_back(machine.name);
  return Status(Reason::kNotFound, "no machine is named '" + std::string(name) +
                                       "'; those of the lab: " + join(names, ", "));
}

Plan make_plan(const Wish& wish) {
  Plan made;
  made.machines.push_back({.name = "switch", .role = Role::kSwitch});
  if (wish.topology == Topology::kBridged) {
    made.bridge_addresses = plan::addresses(wish.families, 0, plan::kGateway);
    made.bridge_mac = plan::mac_of(1, 0);
  }
  const int first = wish.server_apart ? 0 : 1;
  made.machines.push_back(plan::server_machine(wish, first, made));
  for (int number = first + 1; number <= wish.nodes; ++number) {
    made.machines.push_back(plan::node_machine(wish, number, made.server));
  }
  Machine client{.name = "client", .role = Role::kClient};
  client.cable =
      plan::cable_of(wish, client.name, plan::kClientSubnet, plan::kClient, plan::kClientSubnet);
  made.machines.push_back(std::move(client));
  made.hosts = plan::hosts_text(made.machines);
  return made;
}

std::string print_mac(const MacAddress& mac) {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac[0], mac[1], mac[2], mac[3],
                     mac[4], mac[5]);
}

}  // namespace proa::lab
