#include "cel/functions/kubernetes/addresses.h"
#include "cel/functions/tables.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_networks {

class AddressValue final : public Opaque {
 public:
  explicit AddressValue(const IpAddress& value) : Opaque(kIpType), address(value) {}
  bool equals(const Opaque& other) const override {
    return address == static_cast<const AddressValue&>(other).address;
  }
  std::string print() const override { return address.str(); }
  uint64_t size() const override { return address.is_v4() ? 4 : 16; }

  const IpAddress address;
};

class NetworkValue final : public Opaque {
 public:
  explicit NetworkValue(const IpPrefix& value) : Opaque(kCidrType), network(value) {}
  bool equals(const Opaque& other) const override {
    return network == static_cast<const NetworkValue&>(other).network;
  }
  std::string print() const override {
    return network.address.str() + "/" + std::to_string(network.bits);
  }
  uint64_t size() const override { return (network.bits + 7) / 8; }

  const IpPrefix network;
};

const IpAddress& address_of(const Value& value) {
  return static_cast<const AddressValue*>(value.as_opaque())->address;
}
const IpPrefix& network_of(const Value& value) {
  return static_cast<const NetworkValue*>(value.as_opaque())->network;
}

Value to_ip(Context& context, std::span<const Value> args) {
  std::string error;
  const std::optional<IpAddress> address = parse_address(args[0].text(), error);
  return address ? context.opaque<AddressValue>(*address) : context.error(error);
}
Value is_ip(Context&, std::span<const Value> args) {
  std::string error;
  return Value::boolean(parse_address(args[0].text(), error).has_value());
}
Value is_canonical(Context& context, std::span<const Value> args) {
  std::string error;
  const std::optional<IpAddress> address = parse_address(args[0].text(), error);
  return address ? Value::boolean(address->str() == args[0].text()) : context.error(error);
}
Value printed(Context& context, std::span<const Value> args) {
  return context.string(args[0].as_opaque()->print());
}
Value family(Context&, std::span<const Value> args) {
  return Value::integer(address_of(args[0]).is_v4() ? 4 : 6);
}

// The kinds of addresses, as Go's net/netip tells them apart.
const uint8_t* significant(const IpAddress& address) {
  return address.bytes.data() + (address.is_v4() ? 12 : 0);
}
bool only_zeros(const IpAddress& address, size_t but_last = 0) {
  const size_t start = address.is_v4() ? 12 : 0;
  for (size_t i = start; i + but_last < address.bytes.size(); ++i) {
    if (address.bytes[i] != 0) return false;
  }
  return true;
}
bool is_unspecified(const IpAddress& address) { return only_zeros(address); }
bool is_loopback(const IpAddress& address) {
  if (address.is_v4()) return significant(address)[0] == 127;
  return only_zeros(address, 1) && address.bytes[15] == 1;
}
bool is_multicast(const IpAddress& address) {
  const uint8_t first = significant(address)[0];
  return address.is_v4() ? (first & 0xF0) == 0xE0 : first == 0xFF;
}
bool is_link_local_multicast(const IpAddress& address) {
  const uint8_t* bytes = significant(address);
  if (address.is_v4()) return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  return bytes[0] == 0xFF && (bytes[1] & 0x0F) == 0x02;
}
bool is_link_local_unicast(const IpAddress& address) {
  const uint8_t* bytes = significant(address);
  if (address.is_v4()) return bytes[0] == 169 && bytes[1] == 254;
  return bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80;
}
bool is_global_unicast(const IpAddress& address) {
  const uint8_t* bytes = significant(address);
  const bool broadcast =
      address.is_v4() && bytes[0] == 255 && bytes[1] == 255 && bytes[2] == 255 && bytes[3] == 255;
  return !broadcast && !is_unspecified(address) && !is_loopback(address) &&
         !is_multicast(address) && !is_link_local_unicast(address);
}
template <bool (*kTest)(const IpAddress&)>
Value tested(Context&, std::span<const Value> args) {
  return Value::boolean(kTest(address_of(args[0])));
}

Value to_cidr(Context& context, std::span<const Value> args) {
  std::string error;
  const std::optional<IpPrefix> network = parse_network(args[0].text(), error);
  if (network) return context.opaque<NetworkValue>(*network);
  return context.error("network address parse error during conversion from string: " + error);
}
Value is_cidr(Context&, std::span<const Value> args) {
  std::string error;
  return Value::boolean(parse_network(args[0].text(), error).has_value());
}
Value contains_ip(Context&, std::span<const Value> args) {
  const IpPrefix& network = network_of(args[0]);
  const IpAddress& address = address_of(args[1]);
  return Value::boolean(network.v6 != address.is_v4() && network.contains(address));
}
Value contains_ip_text(Context& context, std::span<const Value> args) {
  const Value address = to_ip(context, args.subspan(1));
  // Upstream hides the error of the address.
  if (address.is_error()) return no_such_overload();
  const Value both[] = {args[0], address};
  return contains_ip(context, both);
}
Value contains_cidr(Context&, std::span<const Value> args) {
  const IpPrefix& outer = network_of(args[0]);
  const IpPrefix& inner = network_of(args[1]);
  return Value::boolean(outer.v6 == inner.v6 && overlap(outer, inner) && outer.bits <= inner.bits);
}
Value contains_cidr_text(Context& context, std::span<const Value> args) {
  const Value inner = to_cidr(context, args.subspan(1));
  if (inner.is_error()) return inner;
  const Value both[] = {args[0], inner};
  return contains_cidr(context, both);
}
Value cidr_ip(Context& context, std::span<const Value> args) {
  return context.opaque<AddressValue>(network_of(args[0]).address);
}
Value prefix_length(Context&, std::span<const Value> args) {
  return Value::integer(network_of(args[0]).bits);
}
Value masked(Context& context, std::span<const Value> args) {
  IpPrefix network = network_of(args[0]);
  network.address = network.base();
  return context.opaque<NetworkValue>(network);
}

constexpr FunctionRow kRows[] = {
    {"ip", "string_to_ip", "(string) -> net.IP", to_ip},
    {"family", "ip_family", "net.IP.() -> int", family},
    {"ip.isCanonical", "ip_is_canonical", "(string) -> bool", is_canonical},
    {"isUnspecified", "ip_is_unspecified", "net.IP.() -> bool", tested<is_unspecified>},
    {"isLoopback", "ip_is_loopback", "net.IP.() -> bool", tested<is_loopback>},
    {"isLinkLocalMulticast", "ip_is_link_local_multicast", "net.IP.() -> bool",
     tested<is_link_local_multicast>},
    {"isLinkLocalUnicast", "ip_is_link_local_unicast", "net.IP.() -> bool",
     tested<is_link_local_unicast>},
    {"isGlobalUnicast", "ip_is_global_unicast", "net.IP.() -> bool", tested<is_global_unicast>},
    {"isIP", "is_ip", "(string) -> bool", is_ip},
    {"string", "ip_to_string", "(net.IP) -> string", printed},
    {"cidr", "string_to_cidr", "(string) -> net.CIDR", to_cidr},
    {"containsIP", "cidr_contains_ip_string", "net.CIDR.(string) -> bool", contains_ip_text},
    {"containsIP", "cidr_contains_ip_ip", "net.CIDR.(net.IP) -> bool", contains_ip},
    {"containsCIDR", "cidr_contains_cidr_string", "net.CIDR.(string) -> bool", contains_cidr_text},
    {"containsCIDR", "cidr_contains_cidr", "net.CIDR.(net.CIDR) -> bool", contains_cidr},
    {"ip", "cidr_ip", "net.CIDR.() -> net.IP", cidr_ip},
    {"prefixLength", "cidr_prefix_length", "net.CIDR.() -> int", prefix_length},
    {"masked", "cidr_masked", "net.CIDR.() -> net.CIDR", masked},
    {"isCIDR", "is_cidr", "(string) -> bool", is_cidr},
    {"string", "cidr_to_string", "(net.CIDR) -> string", printed},
};

}  // namespace kubernetes_networks

std::span<const FunctionRow> kubernetes_network_rows() { return kubernetes_networks::kRows; }

}  // namespace proa::cel
