#include "network/guard/guard_table.h"

#include <linux/if_ether.h>
#include <netinet/icmp6.h>

#include <algorithm>

namespace proa::network {
namespace guard_table_unit {

namespace nft = netlink::nft;
using nft::Field;
using nft::Key;
using nft::Type;
using nft::Verdict;

// Before everything else that looks at frames, so also before connections are tracked and
// destinations translated (br_netfilter, at 0).
constexpr int kPriority = -400;
constexpr int kLastPriority = 400;              // behind what gives packets other destinations
constexpr uint16_t kOldVlanTag = 0x9100;        // of tags in tags, before 802.1ad
constexpr uint8_t kMulticastReport2 = 143;      // of MLDv2
constexpr const char* kToMany = "224.0.0.0/3";  // multicast and 255.255.255.255
constexpr const char* kMulticast6 = "ff00::/8";
// Chains.
constexpr const char* kPort = "port";
constexpr const char* kPod = "pod";
constexpr const char* kPod6 = "pod-ipv6";
constexpr const char* kReceiver = "receiver";
// Sets. Those of senders: port, MAC, address.
constexpr const char* kPorts = "ports";
constexpr const char* kPods = "pods";
constexpr const char* kBroadcast = "broadcast";
constexpr const char* kOwn = "own";
constexpr const char* kOwnArp = "own-arp";  // and 0.0.0.0: who asks whether an address is free
constexpr const char* kOwn6 = "own-ipv6";
constexpr const char* kOwnNeighbour = "own-neighbour";  // and the link-local one
// What a link has before it has an address: the link-local one and ::.
constexpr const char* kOwnFirst = "own-first";

Verdict accept() { return {}; }
Verdict drop() { return {Verdict::Kind::kDrop}; }
Verdict go_to(const char* chain) { return {Verdict::Kind::kGoto, chain}; }

nft::MatchSet sent_by(Field mac, Field address, const char* set) {
  return {Key{{Field::kInput, mac, address}}, set};
}
nft::MatchSet from(const char* set) { return sent_by(Field::kMacSource, Field::kSource6, set); }
nft::MatchSet about(const char* set) { return sent_by(Field::kMacSource, Field::kNeighbour, set); }
nft::MatchPrefix to(Field field, const char* prefix) {
  return {field, parse_prefix(prefix).value()};
}
nft::MatchPrefix no_multicast6() {
  return {Field::kDestination6, parse_prefix(kMulticast6).value(), true};
}
nft::MatchSet not_for_one_of(Field address, const char* set) {
  return {Key{{Field::kOutput, Field::kMacDestination, address}}, set, true};
}
nft::MatchIcmp6 type(uint8_t one) { return {one, one}; }

nft::Chain pod_chain() {
  // What is none of these goes: also tags, whose type stands where that of a packet would.
  return {kPod,
          {},
          {{nft::MatchEtherType{ETH_P_IP}, nft::MatchGroupMac{}, drop()},
           {to(Field::kDestination, kToMany), drop()},
           {nft::MatchSet{Key{{Field::kDestination}}, kBroadcast}, drop()},
           {sent_by(Field::kMacSource, Field::kSource, kOwn), accept()},
           {sent_by(Field::kMacSource, Field::kArpSource, kOwnArp),
            sent_by(Field::kArpMac, Field::kArpSource, kOwnArp), accept()},
           {nft::MatchEtherType{ETH_P_IPV6}, go_to(kPod6)},
           {drop()}}};
}

// Packets whose headers the kernel cannot follow match nothing here.
nft::Chain pod_chain_of_ipv6() {
  nft::Chain chain{kPod6, {}, {}};
  chain.rules = {
      {nft::MatchGroupMac{}, no_multicast6(), drop()},
      {nft::MatchNoIcmp6{}, to(Field::kDestination6, kMulticast6), drop()},
      {nft::MatchNoIcmp6{}, from(kOwn6), accept()},
      // A pod is no router, neither for IP nor for multicast.
      {type(MLD_LISTENER_QUERY), drop()},
      {type(ND_ROUTER_ADVERT), drop()},
      {type(ND_REDIRECT), drop()},
      {type(ND_NEIGHBOR_ADVERT), from(kOwnNeighbour), about(kOwnNeighbour), accept()},
      {type(ND_NEIGHBOR_ADVERT), drop()},
      {type(ND_NEIGHBOR_SOLICIT), from(kOwnNeighbour), accept()},
      // Whether an address is free is asked by who will have it: another one's question is an
      // answer.
      {type(ND_NEIGHBOR_SOLICIT), from(kOwnFirst), about(kOwnNeighbour), accept()},
      {nft::MatchIcmp6{MLD_LISTENER_REPORT, ND_ROUTER_SOLICIT}, from(kOwnFirst), accept()},
      {type(kMulticastReport2), from(kOwnFirst), accept()},
      // Also parts of packets, which have no type.
      {to(Field::kDestination6, kMulticast6), drop()},
      {nft::MatchPorts{IPPROTO_ICMPV6}, from(kOwn6), accept()},
      {drop()}};
  return chain;
}

// Packets that come to a pod are for an address of it: others it could receive past the rules that
// know it by those, or in place of the pod that they are for. The node may send to many.
nft::Chain receiving_chain() {
  return {kReceiver,
          {},
          {{to(Field::kDestination, kToMany), accept()},
           {nft::MatchSet{Key{{Field::kDestination}}, kBroadcast}, accept()},
           {not_for_one_of(Field::kDestination, kOwn), drop()},
           {to(Field::kDestination6, kMulticast6), accept()},
           {not_for_one_of(Field::kDestination6, kOwnNeighbour), drop()}}};
}

std::vector<nft::Chain> all_chains() {
  using nft::Hook;
  return {
      {"prerouting",
       Hook{Hook::Type::kFilter, Hook::Point::kPrerouting, kPriority},
       {{nft::VerdictOf{{Key{{Field::kInput}}, kPorts}}}}},
      // These do not come by prerouting, but the bridge learns from them, and the host receives
      // them by the port itself, past the rules for packets of pods.
      {"input",
       Hook{Hook::Type::kFilter, Hook::Point::kInput, kPriority},
       {{nft::MatchLinkConstrained{}, nft::MatchSet{Key{{Field::kInput}}, kPods}, drop()}}},
      {"postrouting",
       Hook{Hook::Type::kFilter, Hook::Point::kPostrouting, kLastPriority},
       {{nft::MatchSet{Key{{Field::kOutput}}, kPods}, go_to(kReceiver)}}},
      {kPort,
       {},
       {{nft::MatchEtherType{ETH_P_8021Q}, drop()},
        {nft::MatchEtherType{ETH_P_8021AD}, drop()},
        {nft::MatchEtherType{kOldVlanTag}, drop()}}},
      pod_chain(),
      pod_chain_of_ipv6(),
      receiving_chain(),
  };
}

struct Sets {
  nft::FilledSet ports{{kPorts, {Type::kLink}, nft::Set::Values::kVerdicts}, {}};
  nft::FilledSet pods{{kPods, {Type::kLink}}, {}};
  nft::FilledSet broadcast{{kBroadcast, {Type::kAddress}}, {}};
  nft::FilledSet own{{kOwn, {Type::kLink, Type::kMac, Type::kAddress}}, {}};
  nft::FilledSet own_arp{{kOwnArp, {Type::kLink, Type::kMac, Type::kAddress}}, {}};
  nft::FilledSet own6{{kOwn6, {Type::kLink, Type::kMac, Type::kAddress6}}, {}};
  nft::FilledSet own_neighbour{{kOwnNeighbour, {Type::kLink, Type::kMac, Type::kAddress6}}, {}};
  nft::FilledSet own_first{{kOwnFirst, {Type::kLink, Type::kMac, Type::kAddress6}}, {}};
};

void add_pod(Sets& sets, const PodPort& pod) {
  const auto add = [&](nft::FilledSet& set, const IpAddress& address) {
    set.elements.push_back(
        {.key = nft::KeyWriter().link(pod.link).mac(pod.mac).address(address).take()});
  };
  sets.pods.elements.push_back({.key = nft::KeyWriter().link(pod.link).take()});
  IpAddress nobody4;
  nobody4.bytes[10] = nobody4.bytes[11] = 0xff;
  add(sets.own_arp, nobody4);
  add(sets.own_first, {});
  add(sets.own_first, link_local_address(pod.mac));
  add(sets.own_neighbour, link_local_address(pod.mac));
  for (const IpAddress& address : pod.addresses) {
    add(address.is_v4() ? sets.own : sets.own6, address);
    add(address.is_v4() ? sets.own_arp : sets.own_neighbour, address);
  }
}

}  // namespace guard_table_unit

IpAddress link_local_address(const netlink::MacAddress& mac) {
  constexpr uint8_t kLocal = 2;
  IpAddress address;
  address.bytes = {
      0xfe,   0x80,   0,    0,    0,      0,      0,     0, static_cast<uint8_t>(mac[0] ^ kLocal),
      mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};
  return address;
}

netlink::nft::TableName guard_table_name(const NetworkOptions& options) {
  return {netlink::nft::Family::kBridge, table_name(options)};
}

netlink::nft::Table guard_table(const NetworkOptions& options, const std::set<std::string>& ports,
                                const std::vector<PodPort>& pods) {
  using namespace guard_table_unit;  // NOLINT: this unit's own
  if (ports.empty()) return {guard_table_name(options), {}, {}};
  Sets sets;
  std::set<IpAddress> broadcasts;  // pods of a network have the same
  for (const PodPort& pod : pods) {
    add_pod(sets, pod);
    broadcasts.insert(pod.broadcasts.begin(), pod.broadcasts.end());
  }
  for (const IpAddress& one : broadcasts) {
    sets.broadcast.elements.push_back({.key = nft::KeyWriter().address(one).take()});
  }
  for (const std::string& port : ports) {
    const bool is_pod = std::ranges::find(pods, port, &PodPort::link) != pods.end();
    sets.ports.elements.push_back(
        {.key = nft::KeyWriter().link(port).take(), .value = go_to(is_pod ? kPod : kPort)});
  }
  return {guard_table_name(options),
          {sets.ports, sets.pods, sets.broadcast, sets.own, sets.own_arp, sets.own6,
           sets.own_neighbour, sets.own_first},
          all_chains()};
}

}  // namespace proa::network
