#include "apiserver/resources/allocate/network.h"

#include "apiserver/resources/allocate/address_range.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace network {

constexpr int64_t kMaxPort = 65535;

Status wrong(std::string_view what, std::string_view text) {
  return {Reason::kInvalid, "\"" + std::string(text) + "\" " + std::string(what)};
}

Result<IpPrefix> parse_cidr(std::string_view text) {
  const auto prefix = parse_prefix(text);
  if (!prefix || prefix->base() != prefix->address) {
    return wrong("must be a CIDR such as 10.96.0.0/16", text);
  }
  // The server's own Service needs one.
  if (AddressRange(*prefix).numbers().size == 0) {
    return wrong("must have 1 to 2^64 addresses", text);
  }
  return *prefix;
}

}  // namespace network

Result<PortRange> PortRange::parse(std::string_view text) {
  const auto wrong = [&] {
    return network::wrong("must be a port range such as 30000-32767", text);
  };
  PortRange range;
  std::optional<int64_t> first;
  std::optional<int64_t> last;
  if (const auto halves = split_once(text, '-')) {
    first = parse_int(halves->before);
    last = parse_int(halves->after);
  } else if (const auto sum = split_once(text, '+')) {
    first = parse_int(sum->before);
    const auto more = parse_int(sum->after);
    if (first && more && *more >= 0 && *more <= network::kMaxPort) last = *first + *more;
  } else {
    first = last = parse_int(text);
  }
  if (!first || !last || *first < 1 || *last > network::kMaxPort || *first > *last) return wrong();
  range.first = *first;
  range.last = *last;
  return range;
}

std::string PortRange::str() const { return std::to_string(first) + "-" + std::to_string(last); }

Result<ServiceNetwork> ServiceNetwork::parse(std::string_view cidrs, std::string_view node_ports) {
  ServiceNetwork network{.cidrs = {}, .node_ports = TRY(PortRange::parse(node_ports))};
  for (const std::string_view text : split(cidrs, ',')) {
    network.cidrs.push_back(TRY(network::parse_cidr(trim(text))));
  }
  const bool one_family = network.cidrs.size() == 2 &&
                          network.cidrs[0].address.is_v4() == network.cidrs[1].address.is_v4();
  if (network.cidrs.size() > 2 || one_family) {
    return network::wrong("must be one CIDR, or one IPv4 and one IPv6 CIDR", cidrs);
  }
  return network;
}

std::vector<std::string_view> ServiceNetwork::families() const {
  std::vector<std::string_view> families;
  for (const IpPrefix& cidr : cidrs) families.push_back(family_of(cidr.address));
  return families;
}

std::string_view family_of(const IpAddress& address) { return address.is_v4() ? "IPv4" : "IPv6"; }

}  // namespace proa::apiserver
