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
// Ports in so many ranges are rules of their own, which read better than a set.
constexpr size_t kFewRanges = 4;

// Router and neighbour solicitation and advertisement, redirect.
constexpr nft::MatchIcmp6 kNeighbourDiscovery{133, 137};

Verdict accept() { return {}; }
Verdict drop() { return {Verdict::Kind::kDrop}; }

nft::MatchSet in_set(std::vector<Field> fields, const nft::Set& set) {
  return {Key{std::move(fields)}, set.name};
}

// Of each base chain.
std::vector<Rule> first_rules(nft::Family family) {
  std::vector<Rule> rules = {{nft::MatchKnownConnection{}, accept()}};
  // Without it, nothing else of IPv6 arrives. It is for neighbours: what was routed has fewer hops.
  if (family == nft::Family::kIp6) {
    rules.push_back({kNeighbourDiscovery, nft::MatchHopLimit{}, accept()});
  }
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

nft::Data key_of(nft::Family family, const IpAddress& address) {
  // Not by what the address is: ranges of IPv6 may begin at one that IPv4 has, too.
  const size_t skipped = family == nft::Family::kIp ? 12 : 0;
  return {address.bytes.begin() + skipped, address.bytes.end()};
}

// Adds one; false: it was the last.
bool increase(nft::Data& key) {
  for (auto byte = key.rbegin(); byte != key.rend(); ++byte) {
    *byte = static_cast<char>(static_cast<uint8_t>(*byte) + 1);
    if (*byte != 0) return true;
  }
  return false;
}

void add_range(nft::Data first, nft::Data last, std::vector<nft::Element>& into) {
  into.push_back({.key = std::move(first)});
  if (increase(last)) into.push_back({.key = std::move(last), .ends_range = true});
}

// Writes the rules of one direction of a policy.
class PolicyWriter {
 public:
  PolicyWriter(nft::Family family, PolicyId id, std::string chain, Direction direction)
      : family_(family),
        ranges_(fmt::format("ranges-{}/{}", direction == Direction::kIngress ? "in" : "out", id)),
        end_(direction == Direction::kIngress ? Field::kSource : Field::kDestination) {
    rules_.chains.push_back({std::move(chain)});
  }

  void add(const Permission& permission);
  PolicyRules take() { return std::move(rules_); }

 private:
  std::vector<Rule> peers_of(const Permission& permission);
  std::vector<Rule> ports_of(const Permission& permission);
  std::string add_set(Type type, std::vector<nft::Element> elements) {
    std::string name = fmt::format("{}/{}", ranges_, rules_.sets.size() + 1);
    rules_.sets.push_back({{.name = name, .key = {type}, .ranges = true}, std::move(elements)});
    return name;
  }

  nft::Family family_;
  std::string ranges_;  // what names of sets begin with
  Field end_;
  PolicyRules rules_;
};

// What packets of a peer have; none: the family has no such peers.
std::vector<Rule> PolicyWriter::peers_of(const Permission& permission) {
  if (permission.any_peer) return {{}};
  std::vector<Rule> rules;
  for (const SetId id : permission.peers) {
    rules.push_back({nft::MatchSet{Key{{end_}}, fmt::format("peers-{}", id)}});
  }
  std::vector<nft::Element> elements;
  for (const AddressRange& range : permission.blocks(family_ == nft::Family::kIp6)) {
    add_range(key_of(family_, range.first), key_of(family_, range.last), elements);
  }
  if (elements.empty()) return rules;
  rules.push_back({nft::MatchSet{Key{{end_}}, add_set(Type::kAddress, std::move(elements))}});
  return rules;
}

std::vector<Rule> PolicyWriter::ports_of(const Permission& permission) {
  if (permission.any_port) return {{}};
  std::vector<Rule> rules;
  if (permission.named) {
    rules.push_back(
        {nft::MatchSet{Key{{Field::kDestination, Field::kProtocol, Field::kDestinationPort}},
                       fmt::format("ports-{}", *permission.named)}});
  }
  for (const ProtocolPorts& ports : permission.ports) {
    if (ports.ranges.size() <= kFewRanges) {
      for (const PortRange& range : ports.ranges) {
        rules.push_back({nft::MatchPorts{ports.protocol, range.first, range.last}});
      }
      continue;
    }
    std::vector<nft::Element> elements;
    for (const PortRange& range : ports.ranges) {
      elements.push_back({.key = nft::KeyWriter().port(range.first).take()});
      if (range.last == UINT16_MAX) continue;
      const auto behind = static_cast<uint16_t>(range.last + 1);
      elements.push_back({.key = nft::KeyWriter().port(behind).take(), .ends_range = true});
    }
    rules.push_back(
        {nft::MatchPorts{ports.protocol},
         nft::MatchSet{Key{{Field::kDestinationPort}}, add_set(Type::kPort, std::move(elements))}});
  }
  return rules;
}

Rule joined(Rule first, const Rule& second, Verdict verdict) {
  first.insert(first.end(), second.begin(), second.end());
  first.emplace_back(std::move(verdict));
  return first;
}

// Peers times ports, as rules of the first chain or, where both are many, with a chain of their
// own.
void PolicyWriter::add(const Permission& permission) {
  std::vector<Rule> peers = peers_of(permission);
  if (peers.empty()) return;
  std::vector<Rule> ports = ports_of(permission);
  if (ports.empty()) return;
  std::vector<nft::Chain>& chains = rules_.chains;
  if (peers.size() == 1 || ports.size() == 1) {
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
  if (meaning.ports.empty()) return {fmt::format("peers-{}", id), {nft::Type::kAddress}};
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

PolicyRules policy_rules(nft::Family family, PolicyId id, const ActivePolicy& policy,
                         Direction direction) {
  if (!policy.restricts(direction)) return {};
  layout::PolicyWriter writer(family, id, policy_chain_name(id, policy, direction), direction);
  for (const Permission& permission : policy.permissions(direction)) writer.add(permission);
  return writer.take();
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
