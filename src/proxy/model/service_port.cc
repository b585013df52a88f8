#include "proxy/model/service_port.h"

#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <iterator>

namespace proa::proxy {

std::string_view name_of(Family family) { return family == Family::kV4 ? "IPv4" : "IPv6"; }

Family family_of(const IpAddress& address) { return address.is_v4() ? Family::kV4 : Family::kV6; }

Family family_of(const IpPrefix& prefix) { return prefix.v6 ? Family::kV6 : Family::kV4; }

std::string_view name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::kTcp:
      return "TCP";
    case Protocol::kUdp:
      return "UDP";
    case Protocol::kSctp:
      return "SCTP";
  }
  return "";
}

std::string_view lower_name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::kTcp:
      return "tcp";
    case Protocol::kUdp:
      return "udp";
    case Protocol::kSctp:
      return "sctp";
  }
  return "";
}

uint8_t number_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::kTcp:
      return IPPROTO_TCP;
    case Protocol::kUdp:
      return IPPROTO_UDP;
    case Protocol::kSctp:
      return IPPROTO_SCTP;
  }
  return 0;
}

std::optional<Protocol> parse_protocol(std::string_view text) {
  for (const Protocol protocol : {Protocol::kTcp, Protocol::kUdp, Protocol::kSctp}) {
    if (text == name_of(protocol)) return protocol;
  }
  return std::nullopt;
}

std::string ServicePortName::str() const {
  if (port.empty()) return fmt::format("{}/{}", name_space, service);
  return fmt::format("{}/{}:{}", name_space, service, port);
}

std::string Endpoint::str() const {
  if (address.is_v4()) return fmt::format("{}:{}", address.str(), port);
  return fmt::format("[{}]:{}", address.str(), port);
}

std::vector<Endpoint> ServicePort::reachable_endpoints() const {
  std::vector<Endpoint> all;
  all.reserve(std::max(cluster_endpoints.size(), local_endpoints.size()));
  std::set_union(cluster_endpoints.begin(), cluster_endpoints.end(), local_endpoints.begin(),
                 local_endpoints.end(), std::back_inserter(all));
  return all;
}

}  // namespace proa::proxy
