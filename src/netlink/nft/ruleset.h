#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/net/ip_address.h"

// nf_tables as values: what a table consists of. Statements are those of nft's language; only the
// ones in use here exist. `transaction.h` sends them, `print.h` shows them as nft does.

namespace proa::netlink::nft {

// The families of tables, by the kernel's numbers.
enum class Family : uint8_t { kIp = 2, kBridge = 7, kIp6 = 10 };

struct TableName {
  Family family = Family::kIp;
  std::string name;

  bool operator==(const TableName&) const = default;
};

// What packets are asked for, and what elements of sets consist of. Addresses are of the family of
// the table; in tables of bridges, kAddress is IPv4, and kAddress6 the other one.
// kClass: what nft calls the classid of a packet. kLink: the name of a link.
enum class Type : uint8_t { kAddress, kProtocol, kPort, kMark, kClass, kAddress6, kMac, kLink };

struct Verdict {
  enum class Kind : uint8_t { kAccept, kDrop, kReturn, kJump, kGoto };
  Kind kind = Kind::kAccept;
  std::string chain = {};  // of kJump and kGoto

  bool operator==(const Verdict&) const = default;
};

// A named set, or a map from keys to values or verdicts.
struct Set {
  enum class Values : uint8_t { kNone, kData, kVerdicts };
  std::string name;
  std::vector<Type> key;
  Values values = Values::kNone;
  std::vector<Type> value = {};  // of kData
  bool dynamic = false;          // packets add elements, which expire
  uint32_t size = 0;             // most elements; zero: no limit
  bool ranges = false;           // keys are ranges (see range_elements)

  bool operator==(const Set&) const = default;
};

// The bytes of a key or value: each part padded to four bytes (see KeyWriter).
using Data = std::string;

struct Element {
  Data key;
  std::variant<std::monostate, Data, Verdict> value = {};
  bool ends_range = false;  // in a set of ranges: the first key behind one

  bool operator==(const Element&) const = default;
};

// Writes keys and values. Ports are in network order, marks in that of the machine.
class KeyWriter {
 public:
  KeyWriter& address(const IpAddress& address);
  KeyWriter& protocol(uint8_t number);
  KeyWriter& port(uint16_t port);
  KeyWriter& mark(uint32_t mark);
  KeyWriter& number(uint32_t number) { return mark(number); }
  KeyWriter& mac(const std::array<uint8_t, 6>& mac);
  // REQUIRES: at most 15 bytes.
  KeyWriter& link(std::string_view name);
  Data take() { return std::move(bytes_); }

 private:
  Data bytes_;
};

// A prefix in a set of ranges of addresses: where it begins, and where it has ended unless it
// reaches the last address.
std::vector<Element> range_elements(const IpPrefix& prefix);

// How long keys and values of these types are.
size_t length_of(Family family, const std::vector<Type>& types);

// A part of a packet. Those of the network header are of the family of the table.
enum class Field : uint8_t {
  kSource,
  kDestination,
  kProtocol,
  kDestinationPort,
  // Of the connection, before DNAT replaced them.
  kOriginalDestination,
  kOriginalDestinationPort,
  kClass,  // meta priority, as SetClass left it
  kInput,  // iifname
  kOutput,
  // Of tables of bridges. A packet that has no such header does not match.
  kMacSource,
  kMacDestination,
  kArpMac,  // of the sender, as the ARP packet says
  kArpSource,
  kSource6,
  kDestination6,
  kNeighbour,  // whom a message of neighbour discovery is about
};
Type type_of(Field field);

// What is looked up: `ip daddr . meta l4proto . th dport . numgen random mod 3`.
struct Key {
  std::vector<Field> fields;
  uint32_t random_below = 0;  // zero: no number

  bool operator==(const Key&) const = default;
};

// `KEY map @MAP`
struct MapLookup {
  Key key;
  std::string map;

  bool operator==(const MapLookup&) const = default;
};

struct MatchNewConnection {  // ct state new
  bool operator==(const MatchNewConnection&) const = default;
};
struct MatchKnownConnection {  // ct state established,related
  bool operator==(const MatchKnownConnection&) const = default;
};
struct MatchTcpWithoutSyn {  // tcp flags ! syn: does not begin a connection
  bool operator==(const MatchTcpWithoutSyn&) const = default;
};
struct MatchPorts {  // tcp dport 80-90; all ports: meta l4proto tcp
  uint8_t protocol = 0;
  uint16_t first = 0;
  uint16_t last = 65535;
  bool operator==(const MatchPorts&) const = default;
};
struct MatchIcmp6 {  // icmpv6 type 133-137; of tables of IPv6 and of bridges
  uint8_t first = 0;
  uint8_t last = 0;
  bool operator==(const MatchIcmp6&) const = default;
};
struct MatchNoIcmp6 {  // meta l4proto != ipv6-icmp
  bool operator==(const MatchNoIcmp6&) const = default;
};
// ether type 8021q; of tables of bridges. The outermost tag, where a frame has several.
struct MatchEtherType {
  uint16_t type = 0;
  bool operator==(const MatchEtherType&) const = default;
};
// Frames that are for the next bridge, or the host behind a port, and never passed on (STP, LLDP).
struct MatchLinkConstrained {  // ether daddr & ff:ff:ff:ff:ff:f0 == 01:80:c2:00:00:00
  bool operator==(const MatchLinkConstrained&) const = default;
};
struct MatchGroupMac {  // ether daddr & 01:00:00:00:00:00 == 01:00:00:00:00:00: not for one
                        // receiver
  bool operator==(const MatchGroupMac&) const = default;
};
struct MatchHopLimit {  // ip6 hoplimit 255
  uint8_t hops = 255;
  bool operator==(const MatchHopLimit&) const = default;
};
struct MatchDnat {  // ct status dnat
  bool operator==(const MatchDnat&) const = default;
};
struct MatchPrefix {  // ip saddr != 10.0.0.0/8
  Field field = Field::kSource;
  IpPrefix prefix;
  bool negated = false;
  bool operator==(const MatchPrefix&) const = default;
};
struct MatchSet {  // ip daddr @SET
  Key key;
  std::string set;
  bool negated = false;
  bool operator==(const MatchSet&) const = default;
};
struct MatchLocalAddress {  // fib daddr type local
  Field field = Field::kDestination;
  bool operator==(const MatchLocalAddress&) const = default;
};
struct MatchVxlan {  // udp dport PORT @th,96,24 ID: VXLAN packets of one network
  uint16_t port = 0;
  uint32_t id = 0;  // 24 bits
  bool operator==(const MatchVxlan&) const = default;
};
struct MatchInput {  // iifname != "proa0"
  std::string name;  // of a link, at most 15 bytes
  bool negated = false;
  bool operator==(const MatchInput&) const = default;
};
struct MatchMark {  // some of the bits are set
  uint32_t bits = 0;
  bool operator==(const MatchMark&) const = default;
};
struct SetMark {
  uint32_t bits = 0;
  bool operator==(const SetMark&) const = default;
};
struct ToggleMark {
  uint32_t bits = 0;
  bool operator==(const ToggleMark&) const = default;
};
struct VerdictOf {  // KEY vmap @MAP
  MapLookup lookup;
  bool operator==(const VerdictOf&) const = default;
};
// meta priority set KEY map @MAP meta priority vmap @VERDICTS: the verdict of a class (kClass). The
// class goes through the packet, since nft ends with a failed assertion when it lists a rule that
// looks up a value of a map in another one. Chains that are led to clear it.
struct VerdictOfClass {
  MapLookup lookup;
  std::string verdicts;
  bool operator==(const VerdictOfClass&) const = default;
};
struct SetClass {  // meta priority set KEY map @MAP
  MapLookup lookup;
  bool operator==(const SetClass&) const = default;
};
struct ClearClass {  // meta priority set none
  bool operator==(const ClearClass&) const = default;
};
struct Dnat {  // dnat ip to KEY map @MAP, of addresses and ports
  MapLookup lookup;
  bool operator==(const Dnat&) const = default;
};
struct Masquerade {  // masquerade fully-random
  bool operator==(const Masquerade&) const = default;
};
struct Reject {  // by ICMP port unreachable
  bool operator==(const Reject&) const = default;
};
struct RejectTcp {  // TCP, by a reset
  bool operator==(const RejectTcp&) const = default;
};
// Adds an element. If there is one of this key, only its time starts again: the value stays.
struct Remember {  // update @MAP { KEY timeout 3h : VALUE }
  Key key;
  std::string map;
  uint32_t seconds = 0;
  Key value;
  bool operator==(const Remember&) const = default;
};

using Statement =
    std::variant<Verdict, MatchNewConnection, MatchKnownConnection, MatchTcpWithoutSyn, MatchPorts,
                 MatchIcmp6, MatchNoIcmp6, MatchEtherType, MatchLinkConstrained, MatchGroupMac,
                 MatchHopLimit, MatchDnat, MatchPrefix, MatchSet, MatchLocalAddress, MatchVxlan,
                 MatchInput, MatchMark, SetMark, ToggleMark, VerdictOf, VerdictOfClass, SetClass,
                 ClearClass, Dnat, Masquerade, Reject, RejectTcp, Remember>;
using Rule = std::vector<Statement>;

// Where packets enter a chain.
struct Hook {
  enum class Type : uint8_t { kFilter, kNat };
  // By the kernel's numbers.
  enum class Point : uint8_t { kPrerouting, kInput, kForward, kOutput, kPostrouting };
  Type type = Type::kFilter;
  Point point = Point::kPrerouting;
  int32_t priority = 0;

  bool operator==(const Hook&) const = default;
};

struct Chain {
  std::string name;
  std::optional<Hook> hook = std::nullopt;
  std::vector<Rule> rules = {};

  bool operator==(const Chain&) const = default;
};

// A set with its elements.
struct FilledSet {
  Set set;
  std::vector<Element> elements;
};

// A whole table.
struct Table {
  TableName name;
  std::vector<FilledSet> sets;
  std::vector<Chain> chains;
};

}  // namespace proa::netlink::nft
