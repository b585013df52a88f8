#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"
#include "base/result.h"

namespace proa::apiserver {

// The node port range of Services.
struct PortRange {
  int64_t first = 0;
  int64_t last = 0;

  // "30000-32767", "30000+2767", or one port.
  static Result<PortRange> parse(std::string_view text);
  bool contains(int64_t port) const { return port >= first && port <= last; }
  // "30000-32767"
  std::string str() const;
};

// The networks and node ports of Services, from this server's options.
struct ServiceNetwork {
  // One, or one per family; the first is the primary family.
  std::vector<IpPrefix> cidrs;
  PortRange node_ports;

  // `cidrs`: "10.96.0.0/16", "10.96.0.0/16,fd00::/108".
  static Result<ServiceNetwork> parse(std::string_view cidrs, std::string_view node_ports);
  // "IPv4", "IPv6", the primary one first.
  std::vector<std::string_view> families() const;
};

std::string_view family_of(const IpAddress& address);

}  // namespace proa::apiserver
