#include "policy/rules/layout.h"

#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>

namespace proa::policy {
namespace layout {

using nft::Field;
using nft::Hook;
using nft::Key;
using nft::Rule;
using nft::Type;
using nft::Verdict;

// Behind the filters of others: what those drop needs no look at policies.
constexpr int kEgressPriority = 5;
constexpr int kIngressPriority = 6;
// Of a namespace and a name in the name of a chain; the kernel's limit is 255, and parts follow.
constexpr size_t kMostOfName = 200;

Verdict accept() { return {}; }
Verdict drop() { return {Verdict::Kind::kDrop}; }

nft::MatchSet in_set(std::vector<Field> fields, const nft::Set& set) {
  return {Key{std::move(fields)}, set.name};
}

// Of each base chain.
std::vector<Rule> first_rules(nft::Family family) {
  std::vector<Rule> rules = {{nft::MatchKnownConnection{}, accept()}};
  // Without it, nothing else of IPv6 arrives.
  if (family == nft::Family::kIp6) rules.push_back({nft::MatchNeighbourDiscovery{}, accept()});
  return rules;
}

// A connection that was cut would begin anew with its next packet, whoever sends it: the kernel
// takes TCP up in the middle, and a packet of the called side makes it that side's connection.
Rule no_middle(Field end) {
  return {nft::MatchNewConnection{}, nft::MatchTcpWithoutSyn{}, in_set({end}, restricted_set()),
          drop()};
}

Rule to_pods(Field end, Direction direction) {
  return {nft::VerdictOf{{Key{{end}}, pods_map(direction).name}}};
}

// Addresses that each link makes for itself: no policy knows them, so they must not be a way
// around.
nft::MatchPrefix link_local(Field end) { return {end, parse_prefix("fe80::/10").value()}; }

nft::Chain base_chain(const char* name, Hook::Point point, int priority, std::vector<Rule> rules) {
  return {name, Hook{Hook::Type::kFilter, point, priority}, std::move(rules)};
}

// What packets of a peer have; nullopt: the family has none.
std::optional<Rule> match_peer(nft::Family family, const PeerMatch& peer, Field end) {
  if (const SetId* id = std::get_if<SetId>(&peer)) {
    return Rule{nft::MatchSet{Key{{end}}, fmt::format("peers-{}", *id)}};
  }
  const auto& block = std::get<AddressPeer>(peer);
  const bool v6 = family == nft::Family::kIp6;
  if (block.range.v6 != v6) return std::nullopt;
  Rule rule = {nft::MatchPrefix{end, block.range}};
  for (const IpPrefix& except : block.except) {
    if (except.v6 == v6) rule.emplace_back(nft::MatchPrefix{end, except, true});
  }
  return rule;
}

Rule match_port(const PortMatch& port) {
  if (const SetId* id = std::get_if<SetId>(&port)) {
    return {nft::MatchSet{Key{{Field::kDestination, Field::kProtocol, Field::kDestinationPort}},
                          fmt::format("ports-{}", *id)}};
  }
  const auto& ports = std::get<Ports>(port);
  return {nft::MatchPorts{ports.protocol, ports.first, ports.last}};
}

Rule joined(Rule first, const Rule& second, Verdict verdict) {
  first.insert(first.end(), second.begin(), second.end());
  first.emplace_back(std::move(verdict));
  return first;
}

// Peers times ports, as rules of `chain` or, where both are many, with a chain of their own.
void add_permission(nft::Family family, const Permission& permission, Field end,
                    std::vector<nft::Chain>& chains) {
  std::vector<Rule> peers;
  for (const PeerMatch& peer : permission.peers) {
    if (auto rule = match_peer(family, peer, end)) peers.push_back(std::move(*rule));
  }
  if (permission.peers.empty()) peers.emplace_back();
  std::vector<Rule> ports;
  for (const PortMatch& port : permission.ports) ports.push_back(match_port(port));
  if (ports.empty()) ports.emplace_back();
  if (peers.size() <= 1 || ports.size() <= 1) {
    for (const Rule& peer : peers) {
      for (const Rule& port : ports) {
        chains.front().rules.push_back(joined(peer, port, accept()));
      }
    }
    return;
  }
  nft::Chain own{fmt::format("{}/{}", chains.front().name, chains.size())};
  for (Rule& port : ports) own.rules.push_back(joined(std::move(port), {}, accept()));
  for (Rule& peer : peers) {
    chains.front().rules.push_back(joined(std::move(peer), {}, {Verdict::Kind::kJump, own.name}));
  }
  chains.push_back(std::move(own));
}

}  // namespace layout

nft::Family family_of(const IpAddress& address) {
  return address.is_v4() ? nft::Family::kIp : nft::Family::kIp6;
}

const nft::Set& pods_map(Direction direction) {
  static const nft::Set kIngress{
      "ingress-pods", {nft::Type::kAddress}, nft::Set::Values::kVerdicts};
  static const nft::Set kEgress{"egress-pods", {nft::Type::kAddress}, nft::Set::Values::kVerdicts};
  return direction == Direction::kIngress ? kIngress : kEgress;
}

const nft::Set& restricted_set() {
  static const nft::Set kSet{"restricted", {nft::Type::kAddress}};
  return kSet;
}

const nft::Set& itself_set() {
  static const nft::Set kSet{"itself", {nft::Type::kAddress, nft::Type::kAddress}};
  return kSet;
}

std::vector<nft::Chain> base_chains(nft::Family family, const std::string& bridge) {
  using namespace layout;  // NOLINT: this unit's own
  const Rule itself = {in_set({Field::kSource, Field::kDestination}, itself_set()), accept()};
  std::vector<Rule> egress = first_rules(family);
  egress.push_back(no_middle(Field::kSource));
  egress.push_back(no_middle(Field::kDestination));
  egress.push_back(itself);
  egress.push_back(to_pods(Field::kSource, Direction::kEgress));
  std::vector<Rule> ingress = first_rules(family);
  ingress.push_back(itself);
  if (family == nft::Family::kIp6 && !bridge.empty()) {
    ingress.push_back({nft::MatchInput{bridge}, link_local(Field::kDestination), drop()});
  }
  ingress.push_back(to_pods(Field::kDestination, Direction::kIngress));
  std::vector<Rule> input = first_rules(family);
  if (family == nft::Family::kIp6 && !bridge.empty()) {
    for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP, IPPROTO_SCTP}) {
      input.push_back(
          {nft::MatchInput{bridge}, link_local(Field::kSource), nft::MatchPorts{protocol}, drop()});
    }
  }
  input.push_back(to_pods(Field::kSource, Direction::kEgress));
  // The node itself reaches its pods; it does not take up what was cut, either.
  std::vector<Rule> output = {no_middle(Field::kDestination)};
  return {
      base_chain("forward-egress", Hook::Point::kForward, kEgressPriority, std::move(egress)),
      base_chain("forward-ingress", Hook::Point::kForward, kIngressPriority, std::move(ingress)),
      base_chain("input-egress", Hook::Point::kInput, kEgressPriority, std::move(input)),
      base_chain("output", Hook::Point::kOutput, kEgressPriority, std::move(output)),
  };
}

nft::Set set_of(SetId id, const SetMeaning& meaning) {
  if (meaning.port.empty()) return {fmt::format("peers-{}", id), {nft::Type::kAddress}};
  return {fmt::format("ports-{}", id),
          {nft::Type::kAddress, nft::Type::kProtocol, nft::Type::kPort}};
}

nft::Element element_of(const SetElement& element) {
  nft::KeyWriter key;
  key.address(element.address);
  if (element.protocol != 0) key.protocol(element.protocol).port(element.port);
  return {.key = key.take()};
}

std::string policy_chain_name(PolicyId id, const ActivePolicy& policy, Direction direction) {
  return fmt::format("{}/{}/{}", direction == Direction::kIngress ? "in" : "out",
                     policy.key.str().substr(0, layout::kMostOfName), id);
}

std::vector<nft::Chain> policy_chains(nft::Family family, PolicyId id, const ActivePolicy& policy,
                                      Direction direction) {
  if (!policy.restricts(direction)) return {};
  std::vector<nft::Chain> chains = {{policy_chain_name(id, policy, direction)}};
  const nft::Field end =
      direction == Direction::kIngress ? nft::Field::kSource : nft::Field::kDestination;
  for (const Permission& permission : policy.permissions(direction)) {
    layout::add_permission(family, permission, end, chains);
  }
  return chains;
}

nft::Chain pods_chain(std::string name, const std::vector<std::string>& policies) {
  nft::Chain chain{std::move(name)};
  for (const std::string& policy : policies) {
    chain.rules.push_back({nft::Verdict{nft::Verdict::Kind::kJump, policy}});
  }
  chain.rules.push_back({nft::Verdict{nft::Verdict::Kind::kDrop}});
  return chain;
}

}  // namespace proa::policy
