#include "proxy/options.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <memory>

#include "base/strings.h"

namespace proa::proxy {
namespace options {

constexpr Family kFamilies[] = {Family::kV4, Family::kV6};

// The first one of each family.
std::vector<IpAddress> primary_ones(const std::vector<IpAddress>& addresses) {
  std::vector<IpAddress> found;
  for (const Family family : kFamilies) {
    const auto first =
        std::find_if(addresses.begin(), addresses.end(),
                     [family](const IpAddress& address) { return family_of(address) == family; });
    if (first != addresses.end()) found.push_back(*first);
  }
  return found;
}

bool covers_all(const std::vector<IpPrefix>& ranges, Family family) {
  bool any = false;
  for (const IpPrefix& range : ranges) {
    if (family_of(range) != family) continue;
    if (range.bits == 0) return true;
    any = true;
  }
  return !any;
}

void choose_node_port_addresses(const ProxyOptions& options, const std::vector<IpAddress>& own,
                                NodeFacts& facts) {
  const auto& ranges = options.node_port_ranges;
  facts.all_node_port_addresses =
      covers_all(ranges, Family::kV4) && covers_all(ranges, Family::kV6);
  if (facts.all_node_port_addresses) return;
  for (const IpAddress& address : own) {
    const bool wanted =
        covers_all(ranges, family_of(address)) ||
        std::any_of(ranges.begin(), ranges.end(),
                    [&address](const IpPrefix& range) { return range.contains(address); });
    if (wanted) facts.node_port_addresses.push_back(address);
  }
}

}  // namespace options

Result<Mode> parse_mode(std::string_view text) {
  for (const Mode mode : {Mode::kNftables, Mode::kIptables}) {
    if (text == name_of(mode)) return mode;
  }
  return Status(Reason::kInvalid, fmt::format("{:?}: use nftables or iptables", text));
}

Result<void> parse_node_port_addresses(std::string_view text, ProxyOptions& options) {
  options.node_port_ranges.clear();
  // As upstream: addresses that others route through a node are not its own to answer at.
  options.primary_node_ports =
      text == "primary" || (text.empty() && options.mode == Mode::kNftables);
  if (text.empty() || options.primary_node_ports) return {};
  for (const std::string_view part : split(text, ',')) {
    const auto range = parse_prefix(trim(part));
    if (!range) {
      return Status(Reason::kInvalid,
                    fmt::format("{:?}: use \"primary\" or ranges such as 192.0.2.0/24", part));
    }
    options.node_port_ranges.push_back(*range);
  }
  return {};
}

NodeFacts make_facts(const ProxyOptions& options, const NodeState& node,
                     const std::vector<IpAddress>& own) {
  NodeFacts facts;
  facts.name = options.node_name;
  facts.zone = node.zone;
  facts.addresses = options::primary_ones(node.addresses);
  facts.pod_ranges = options.cluster_ranges.empty() ? node.pod_ranges : options.cluster_ranges;
  facts.masquerade_all = options.masquerade_all;
  facts.localhost_node_ports = options.mode == Mode::kIptables;
  if (options.primary_node_ports) {
    facts.all_node_port_addresses = false;
    facts.node_port_addresses = facts.addresses;
  } else {
    options::choose_node_port_addresses(options, own, facts);
  }
  auto& chosen = facts.node_port_addresses;
  std::sort(chosen.begin(), chosen.end());
  // Two links may have the same one.
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return facts;
}

std::vector<IpAddress> own_addresses() {
  std::vector<IpAddress> addresses;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return addresses;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(list, &::freeifaddrs);
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    char text[INET6_ADDRSTRLEN] = {};
    const void* from = nullptr;
    if (one->ifa_addr->sa_family == AF_INET) {
      from = &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      from = &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
    }
    if (from == nullptr) continue;
    ::inet_ntop(one->ifa_addr->sa_family, from, text, sizeof(text));
    if (const auto address = parse_ip(text)) addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace proa::proxy
