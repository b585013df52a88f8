#include "netlink/nft/print.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

namespace proa::netlink::nft {

namespace printer {

std::string_view family_name(Family family) { return family == Family::kIp6 ? "ip6" : "ip"; }

std::string_view table_family(Family family) {
  return family == Family::kBridge ? "bridge" : family_name(family);
}

std::string print_field(Family family, Field field) {
  switch (field) {
    case Field::kSource:
      return fmt::format("{} saddr", family_name(family));
    case Field::kDestination:
      return fmt::format("{} daddr", family_name(family));
    case Field::kProtocol:
      return "meta l4proto";
    case Field::kDestinationPort:
      return "th dport";
    case Field::kOriginalDestination:
      return fmt::format("ct original {} daddr", family_name(family));
    case Field::kOriginalDestinationPort:
      return "ct original proto-dst";
    case Field::kClass:
      return "meta priority";
    case Field::kInput:
      return "iifname";
    case Field::kOutput:
      return "oifname";
    case Field::kMacSource:
      return "ether saddr";
    case Field::kMacDestination:
      return "ether daddr";
    case Field::kArpMac:
      return "arp saddr ether";
    case Field::kArpSource:
      return "arp saddr ip";
    case Field::kSource6:
      return "ip6 saddr";
    case Field::kDestination6:
      return "ip6 daddr";
    case Field::kNeighbour:
      return "@th,64,128";
  }
  return "";
}

std::string print_key(Family family, const Key& key) {
  std::string text;
  for (const Field field : key.fields) {
    if (!text.empty()) text += " . ";
    text += print_field(family, field);
  }
  if (key.random_below > 0) text += fmt::format(" . numgen random mod {}", key.random_below);
  return text;
}

std::string print_lookup(Family family, const MapLookup& lookup) {
  return fmt::format("{} map @{}", print_key(family, lookup.key), lookup.map);
}

std::string print_verdict(const Verdict& verdict) {
  switch (verdict.kind) {
    case Verdict::Kind::kAccept:
      return "accept";
    case Verdict::Kind::kDrop:
      return "drop";
    case Verdict::Kind::kReturn:
      return "return";
    case Verdict::Kind::kJump:
      return "jump " + verdict.chain;
    case Verdict::Kind::kGoto:
      return "goto " + verdict.chain;
  }
  return "";
}

std::string print_prefix(const IpPrefix& prefix) {
  if (prefix.bits == (prefix.v6 ? 128 : 32)) return prefix.base().str();
  return prefix.str();
}

// "1d2h3m4s"
std::string print_seconds(uint32_t seconds) {
  std::string text;
  constexpr std::pair<uint32_t, char> kUnits[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
  for (const auto& [length, unit] : kUnits) {
    if (seconds < length) continue;
    text += fmt::format("{}{}", seconds / length, unit);
    seconds %= length;
  }
  return text.empty() ? "0s" : text;
}

std::string print_protocol(uint8_t number) {
  switch (number) {
    case IPPROTO_TCP:
      return "tcp";
    case IPPROTO_UDP:
      return "udp";
    case IPPROTO_SCTP:
      return "sctp";
    case IPPROTO_ICMPV6:
      return "ipv6-icmp";
    default:
      return std::to_string(number);
  }
}

// With nft's names where it writes them.
std::string print_icmp6(const MatchIcmp6& match) {
  if (match.first != match.last) return fmt::format("icmpv6 type {}-{}", match.first, match.last);
  switch (match.first) {
    case 130:
      return "icmpv6 type mld-listener-query";
    case 134:
      return "icmpv6 type nd-router-advert";
    case 135:
      return "icmpv6 type nd-neighbor-solicit";
    case 136:
      return "icmpv6 type nd-neighbor-advert";
    case 137:
      return "icmpv6 type nd-redirect";
    case 143:
      return "icmpv6 type mld2-listener-report";
    default:
      return fmt::format("icmpv6 type {}", match.first);
  }
}

std::string print_ether_type(uint16_t type) {
  switch (type) {
    case 0x0800:
      return "ether type ip";
    case 0x8100:
      return "ether type 8021q";
    case 0x88a8:
      return "ether type 8021ad";
    case 0x86dd:
      return "ether type ip6";
    default:
      return fmt::format("ether type {:#06x}", type);
  }
}

std::string print_ports(const MatchPorts& match) {
  const std::string protocol = print_protocol(match.protocol);
  if (match.first == 0 && match.last == UINT16_MAX) return "meta l4proto " + protocol;
  if (match.first == match.last) return fmt::format("{} dport {}", protocol, match.first);
  return fmt::format("{} dport {}-{}", protocol, match.first, match.last);
}

struct StatementPrinter {
  Family family;

  std::string operator()(const Verdict& verdict) const { return print_verdict(verdict); }
  std::string operator()(const MatchNewConnection&) const { return "ct state new"; }
  std::string operator()(const MatchKnownConnection&) const {
    return "ct state established,related";
  }
  std::string operator()(const MatchTcpWithoutSyn&) const { return "tcp flags ! syn"; }
  std::string operator()(const MatchPorts& match) const { return print_ports(match); }
  std::string operator()(const MatchIcmp6& match) const { return print_icmp6(match); }
  std::string operator()(const MatchNoIcmp6&) const { return "meta l4proto != ipv6-icmp"; }
  std::string operator()(const MatchEtherType& match) const { return print_ether_type(match.type); }
  std::string operator()(const MatchLinkConstrained&) const {
    return "ether daddr & ff:ff:ff:ff:ff:f0 == 01:80:c2:00:00:00";
  }
  std::string operator()(const MatchGroupMac&) const {
    return "ether daddr & 01:00:00:00:00:00 == 01:00:00:00:00:00";
  }
  std::string operator()(const MatchHopLimit& match) const {
    return fmt::format("ip6 hoplimit {}", match.hops);
  }
  std::string operator()(const MatchDnat&) const { return "ct status dnat"; }
  std::string operator()(const MatchPrefix& match) const {
    return fmt::format("{} {}{}", print_field(family, match.field), match.negated ? "!= " : "",
                       print_prefix(match.prefix));
  }
  std::string operator()(const MatchSet& match) const {
    return fmt::format("{} {}@{}", print_key(family, match.key), match.negated ? "!= " : "",
                       match.set);
  }
  std::string operator()(const MatchLocalAddress& match) const {
    return fmt::format("fib {} type local", match.field == Field::kSource ? "saddr" : "daddr");
  }
  std::string operator()(const MatchVxlan& match) const {
    return fmt::format("udp dport {} @th,96,24 {:#x}", match.port, match.id);
  }
  std::string operator()(const MatchInput& match) const {
    return fmt::format("iifname {}\"{}\"", match.negated ? "!= " : "", match.name);
  }
  std::string operator()(const MatchMark& match) const {
    return fmt::format("meta mark & {:#010x} != 0x00000000", match.bits);
  }
  std::string operator()(const SetMark& set) const {
    return fmt::format("meta mark set meta mark | {:#010x}", set.bits);
  }
  std::string operator()(const ToggleMark& toggle) const {
    return fmt::format("meta mark set meta mark ^ {:#010x}", toggle.bits);
  }
  std::string operator()(const VerdictOf& verdict) const {
    return fmt::format("{} vmap @{}", print_key(family, verdict.lookup.key), verdict.lookup.map);
  }
  std::string operator()(const VerdictOfClass& verdict) const {
    return fmt::format("meta priority set {} meta priority vmap @{}",
                       print_lookup(family, verdict.lookup), verdict.verdicts);
  }
  std::string operator()(const SetClass& set) const {
    return "meta priority set " + print_lookup(family, set.lookup);
  }
  std::string operator()(const ClearClass&) const { return "meta priority set none"; }
  std::string operator()(const Dnat& dnat) const {
    return fmt::format("dnat {} to {}", family_name(family), print_lookup(family, dnat.lookup));
  }
  std::string operator()(const Masquerade&) const { return "masquerade fully-random"; }
  std::string operator()(const Reject&) const { return "reject"; }
  std::string operator()(const RejectTcp&) const {
    return "meta l4proto tcp reject with tcp reset";
  }
  std::string operator()(const Remember& remember) const {
    return fmt::format("update @{} {{ {} timeout {} : {} }}", remember.map,
                       print_key(family, remember.key), print_seconds(remember.seconds),
                       print_key(family, remember.value));
  }
};

std::string print_types(Family family, const std::vector<Type>& types) {
  std::string text;
  for (const Type type : types) {
    if (!text.empty()) text += " . ";
    switch (type) {
      case Type::kAddress:
        text += family == Family::kIp6 ? "ipv6_addr" : "ipv4_addr";
        break;
      case Type::kProtocol:
        text += "inet_proto";
        break;
      case Type::kPort:
        text += "inet_service";
        break;
      case Type::kMark:
        text += "mark";
        break;
      case Type::kClass:
        text += "classid";
        break;
      case Type::kAddress6:
        text += "ipv6_addr";
        break;
      case Type::kMac:
        text += "ether_addr";
        break;
      case Type::kLink:
        text += "ifname";
        break;
    }
  }
  return text;
}

std::string print_class(uint32_t number) {
  const uint32_t major = number >> 16;
  const uint32_t minor = number & 0xffff;
  if (number == 0) return "none";
  return fmt::format("{:x}:{:x}", major, minor);
}

std::string print_mac(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes.substr(0, 6)) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : ":", static_cast<uint8_t>(byte));
  }
  return text;
}

std::string print_part(Type type, std::string_view bytes) {
  switch (type) {
    case Type::kAddress:
    case Type::kAddress6: {
      IpAddress address;
      if (bytes.size() == 4) address.bytes[10] = address.bytes[11] = 0xff;
      std::memcpy(address.bytes.data() + (16 - bytes.size()), bytes.data(), bytes.size());
      return address.str();
    }
    case Type::kProtocol:
      return print_protocol(static_cast<uint8_t>(bytes[0]));
    case Type::kPort: {
      uint16_t port = 0;
      std::memcpy(&port, bytes.data(), sizeof port);
      return std::to_string(ntohs(port));
    }
    case Type::kMark: {
      uint32_t mark = 0;
      std::memcpy(&mark, bytes.data(), sizeof mark);
      return fmt::format("{:#010x}", mark);
    }
    case Type::kClass: {
      uint32_t number = 0;
      std::memcpy(&number, bytes.data(), sizeof number);
      return print_class(number);
    }
    case Type::kMac:
      return print_mac(bytes);
    case Type::kLink:
      return fmt::format("\"{}\"", bytes.substr(0, bytes.find('\0')));
  }
  return "";
}

std::string print_data(Family family, const std::vector<Type>& types, std::string_view bytes) {
  std::string text;
  for (const Type type : types) {
    const size_t length = length_of(family, {type});
    if (bytes.size() < length) return text + " (too short)";
    if (!text.empty()) text += " . ";
    text += print_part(type, bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return text;
}

// How many leading bits two keys have in common.
size_t common_bits(std::string_view a, std::string_view b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const auto differ = static_cast<uint8_t>(a[i] ^ b[i]);
    if (differ != 0) return i * 8 + static_cast<size_t>(std::countl_zero(differ));
  }
  return a.size() * 8;
}

// "10.0.0.0/8", "10.0.0.1", "10.0.0.1-10.0.0.3". `behind`: empty if it has no end.
std::string print_range(Family family, const Set& set, const Data& first, const Data& behind) {
  Data last = behind.empty() ? Data(first.size(), '\0') : behind;
  // Minus one.
  for (size_t i = last.size(); i > 0 && last[i - 1]-- == 0; --i) {
  }
  std::string text = print_data(family, set.key, first);
  const size_t common = common_bits(first, last);
  if (common == first.size() * 8) return text;
  Data mask = first;
  for (size_t i = common; i < first.size() * 8; ++i) {
    mask[i / 8] = static_cast<char>(mask[i / 8] | 0x80 >> i % 8);
  }
  Data base = last;
  for (size_t i = common; i < first.size() * 8; ++i) {
    base[i / 8] = static_cast<char>(base[i / 8] & ~(0x80 >> i % 8));
  }
  if (mask == last && base == first) return text + fmt::format("/{}", common);
  return text + "-" + print_data(family, set.key, last);
}

std::vector<std::string> print_ranges(Family family, const FilledSet& filled) {
  std::vector<Element> sorted = filled.elements;
  // Ends come before beginnings.
  std::sort(sorted.begin(), sorted.end(), [](const Element& a, const Element& b) {
    return std::tuple(std::string_view(a.key), !a.ends_range) <
           std::tuple(std::string_view(b.key), !b.ends_range);
  });
  std::vector<std::string> lines;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].ends_range) continue;
    const bool ends = i + 1 < sorted.size() && sorted[i + 1].ends_range;
    lines.push_back(
        print_range(family, filled.set, sorted[i].key, ends ? sorted[i + 1].key : Data()));
  }
  return lines;
}

std::string print_hook(const Hook& hook) {
  constexpr std::string_view kPoints[] = {"prerouting", "input", "forward", "output",
                                          "postrouting"};
  return fmt::format("type {} hook {} priority {}; policy accept;",
                     hook.type == Hook::Type::kNat ? "nat" : "filter",
                     kPoints[static_cast<size_t>(hook.point)], print_priority(hook));
}

std::string print_set(Family family, const FilledSet& filled) {
  const Set& set = filled.set;
  const bool is_map = set.values != Set::Values::kNone;
  std::string text = fmt::format("\t{} {} {{\n\t\ttype {}", is_map ? "map" : "set", set.name,
                                 print_types(family, set.key));
  if (set.values == Set::Values::kData) text += " : " + print_types(family, set.value);
  if (set.values == Set::Values::kVerdicts) text += " : verdict";
  text += "\n";
  if (set.size > 0) text += fmt::format("\t\tsize {}\n", set.size);
  if (set.dynamic) text += "\t\tflags dynamic,timeout\n";
  if (set.ranges) text += "\t\tflags interval\n";
  std::vector<std::string> lines;
  if (set.ranges) {
    lines = print_ranges(family, filled);
  } else {
    for (const Element& element : filled.elements) lines.push_back(print(family, set, element));
  }
  std::sort(lines.begin(), lines.end());
  if (!lines.empty()) {
    text += fmt::format("\t\telements = {{ {} }}\n", fmt::join(lines, ",\n\t\t\t     "));
  }
  return text + "\t}\n";
}

}  // namespace printer

std::string print(Family family, const Rule& rule) {
  std::string text;
  for (const Statement& statement : rule) {
    if (!text.empty()) text += ' ';
    text += std::visit(printer::StatementPrinter{family}, statement);
  }
  return text;
}

std::string print(Family family, const Set& set, const Element& element) {
  std::string text = printer::print_data(family, set.key, element.key);
  if (const Data* data = std::get_if<Data>(&element.value)) {
    text += " : " + printer::print_data(family, set.value, *data);
  }
  if (const Verdict* verdict = std::get_if<Verdict>(&element.value)) {
    text += " : " + printer::print_verdict(*verdict);
  }
  return text;
}

std::string print_priority(const Hook& hook) {
  // The names that nft has for the priorities near; those of destinations only where they apply.
  struct Named {
    int32_t priority;
    std::string_view name;
  };
  std::vector<Named> all = {{0, "filter"}, {-300, "raw"}};
  if (hook.point == Hook::Point::kPrerouting) all.push_back({-100, "dstnat"});
  if (hook.point == Hook::Point::kPostrouting) all.push_back({100, "srcnat"});
  for (const Named& named : all) {
    const int32_t difference = hook.priority - named.priority;
    if (difference == 0) return std::string(named.name);
    if (difference > 0 && difference <= 10) return fmt::format("{} + {}", named.name, difference);
    if (difference < 0 && difference >= -10) return fmt::format("{} - {}", named.name, -difference);
  }
  return std::to_string(hook.priority);
}

std::string print(const Table& table) {
  const Family family = table.name.family;
  std::string text =
      fmt::format("table {} {} {{\n", printer::table_family(family), table.name.name);
  std::string_view separator;
  for (const FilledSet& set : table.sets) {
    text += separator;
    text += printer::print_set(family, set);
    separator = "\n";
  }
  for (const Chain& chain : table.chains) {
    text += fmt::format("{}\tchain {} {{\n", separator, chain.name);
    if (chain.hook) text += fmt::format("\t\t{}\n", printer::print_hook(*chain.hook));
    for (const Rule& rule : chain.rules) text += fmt::format("\t\t{}\n", print(family, rule));
    text += "\t}\n";
    separator = "\n";
  }
  return text + "}\n";
}

}  // namespace proa::netlink::nft
