#include "proxy/nftables/layout.h"

#include <utility>

#include "base/check.h"

namespace proa::proxy::nftables {

namespace layout {

using nft::Chain;
using nft::Field;
using nft::Hook;
using nft::Key;
using nft::Rule;
using nft::Type;
using nft::Verdict;
using Values = nft::Set::Values;

// Clients that are remembered at once, for all Services of a kind. Others are still served, but not
// by the same endpoint.
constexpr uint32_t kMostClients = 256 * 1024;

constexpr int kBeforeDnat = -110;
constexpr int kDnat = -100;
constexpr int kFilter = 0;
constexpr int kBeforeSnat = 90;
constexpr int kSnat = 100;

std::vector<Type> joined(std::vector<Type> first, const std::vector<Type>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::array<nft::Set, kSets> make_sets() {
  const std::vector<Type> service = {Type::kAddress, Type::kProtocol, Type::kPort};
  const std::vector<Type> node_port = {Type::kProtocol, Type::kPort};
  const std::vector<Type> endpoint = {Type::kAddress, Type::kPort};
  const auto endpoints = [&](const char* name, const std::vector<Type>& key) {
    return nft::Set{name, joined(key, {Type::kMark}), Values::kData, endpoint};
  };
  const auto verdicts = [](const char* name, const std::vector<Type>& key) {
    return nft::Set{name, key, Values::kVerdicts};
  };
  const std::vector<Type> number = {Type::kClass};
  const auto data = [](const char* name, const std::vector<Type>& key,
                       const std::vector<Type>& value) {
    return nft::Set{name, key, Values::kData, value};
  };
  return {
      data("service-ips", service, number),
      endpoints("service-endpoints", service),
      endpoints("service-local-endpoints", service),
      data("sticky-services", service, number),
      data("service-ids", service, number),
      data("nodeports", node_port, number),
      endpoints("nodeport-endpoints", node_port),
      endpoints("nodeport-local-endpoints", node_port),
      data("sticky-nodeports", node_port, number),
      data("nodeport-ids", node_port, number),
      data("no-endpoint-services", service, number),
      data("no-endpoint-nodeports", node_port, number),
      verdicts("classes", number),
      verdicts("affinity-times", number),
      verdicts("refusals", number),
      verdicts("firewall-ips", service),
      nft::Set{"cluster-ips", {Type::kAddress}},
      nft::Set{"nodeport-ips", {Type::kAddress}},
      nft::Set{"hairpin-connections",
               {Type::kAddress, Type::kAddress, Type::kProtocol, Type::kPort}},
      nft::Set{
          "affinity", {Type::kAddress, Type::kClass}, Values::kData, endpoint, true, kMostClients},
  };
}

Rule jump_if_new(const char* chain) {
  return {nft::MatchNewConnection{}, Verdict{Verdict::Kind::kJump, chain}};
}

Chain base_chain(const char* name, Hook::Type type, Hook::Point point, int priority,
                 std::vector<Rule> rules) {
  return {name, Hook{type, point, priority}, std::move(rules)};
}

nft::MatchSet match_set(std::vector<Field> fields, SetId set) {
  return {Key{std::move(fields)}, set_of(set).name};
}

nft::VerdictOfClass verdict_of(nft::Key key, SetId map, SetId verdicts) {
  return {{std::move(key), set_of(map).name}, set_of(verdicts).name};
}

nft::VerdictOfClass refusal_of(Space space, SetId map) {
  return verdict_of(key_of(space), map, SetId::kRefusals);
}

IpPrefix loopback_of(Family family) {
  const auto prefix = parse_prefix(family == Family::kV4 ? "127.0.0.0/8" : "::1/128");
  CHECK(prefix.has_value());
  return *prefix;
}

// Node ports are served at all addresses but those of the loopback, or at given ones. The rule
// continues with `then`.
Rule at_node_addresses(Family family, const NodeFacts& node, nft::Statement then) {
  if (!node.all_node_port_addresses) {
    return {match_set({Field::kDestination}, SetId::kNodePortIps), std::move(then)};
  }
  return {nft::MatchPrefix{Field::kDestination, loopback_of(family), true}, std::move(then)};
}

// Destinations are looked up and replaced.
Chain services_chain(Family family, const NodeFacts& node) {
  Chain chain{"services"};
  const std::vector<IpPrefix> pods = pod_ranges(family, node);
  if (node.masquerade_all || !pods.empty()) {
    // Traffic from outside may have been routed to any node, so that answers must come back here.
    Rule rule = {match_set({Field::kDestination}, SetId::kClusterIps)};
    if (!node.masquerade_all) {
      for (const IpPrefix& range : pods) {
        rule.emplace_back(nft::MatchPrefix{Field::kSource, range, true});
      }
    }
    rule.emplace_back(nft::SetMark{kMasqueradeMark});
    chain.rules.push_back(std::move(rule));
  }
  chain.rules.push_back(
      {verdict_of(key_of(Space::kServiceIp), SetId::kServiceIps, SetId::kClasses)});
  Rule node_ports = at_node_addresses(
      family, node, verdict_of(key_of(Space::kNodePort), SetId::kNodePorts, SetId::kClasses));
  if (node.all_node_port_addresses) {
    node_ports.insert(node_ports.begin(), nft::MatchLocalAddress{Field::kDestination});
  }
  chain.rules.push_back(std::move(node_ports));
  return chain;
}

// What was not replaced, though it is in the range of cluster IPs.
Chain cluster_ips_chain(Family family, const NodeFacts& node) {
  Chain chain{"cluster-ips-check"};
  chain.rules.push_back({match_set({Field::kDestination}, SetId::kClusterIps), nft::Reject{}});
  bool first = true;
  for (const IpPrefix& range : node.service_ranges) {
    if (family_of(range) != family) continue;
    // Somebody answers on this machine itself: DNS of the cluster.
    if (std::exchange(first, false)) {
      chain.rules.push_back(
          {nft::MatchLocalAddress{Field::kDestination}, Verdict{Verdict::Kind::kReturn}});
    }
    chain.rules.push_back(
        {nft::MatchPrefix{Field::kDestination, range}, Verdict{Verdict::Kind::kDrop}});
  }
  return chain;
}

// Connections to Services with affinity, once their endpoint is known: those that leave, and those
// to endpoints in this node's own network.
std::vector<Chain> affinity_chains() {
  const auto remember = [](Space space, SetId map) {
    return Rule{verdict_of(original_key_of(space), map, SetId::kTimes)};
  };
  const Rule to_affinity = {nft::MatchNewConnection{}, nft::MatchDnat{},
                            Verdict{Verdict::Kind::kJump, "affinity"}};
  return {
      base_chain("filter-postrouting", Hook::Type::kFilter, Hook::Point::kPostrouting, kBeforeSnat,
                 {to_affinity}),
      base_chain("filter-input-dnat", Hook::Type::kFilter, Hook::Point::kInput, kFilter,
                 {to_affinity}),
      {"affinity",
       {},
       {remember(Space::kServiceIp, SetId::kStickyServices),
        remember(Space::kNodePort, SetId::kStickyNodePorts)}},
  };
}

// To an ICMPv6 error for its first packet, Linux's TCP listens only after a second (upstream's
// rules take that time): a reset is heard at once.
Chain reject_chain(Family family) {
  Chain chain{kRejectChain};
  if (family == Family::kV6) chain.rules.push_back({nft::RejectTcp{}});
  chain.rules.push_back({nft::Reject{}});
  return chain;
}

std::vector<Chain> filter_chains(Family family, const NodeFacts& node) {
  const auto filter = Hook::Type::kFilter;
  return {
      base_chain("filter-prerouting-pre-dnat", filter, Hook::Point::kPrerouting, kBeforeDnat,
                 {jump_if_new("firewall-check")}),
      base_chain("filter-output-pre-dnat", filter, Hook::Point::kOutput, kBeforeDnat,
                 {jump_if_new("firewall-check")}),
      base_chain("filter-input", filter, Hook::Point::kInput, kFilter,
                 {jump_if_new("nodeport-endpoints-check"), jump_if_new("service-endpoints-check")}),
      base_chain("filter-forward", filter, Hook::Point::kForward, kFilter,
                 {jump_if_new("service-endpoints-check"), jump_if_new("cluster-ips-check")}),
      base_chain("filter-output", filter, Hook::Point::kOutput, kFilter,
                 {jump_if_new("service-endpoints-check"), jump_if_new("cluster-ips-check")}),
      {"firewall-check",
       {},
       {{nft::VerdictOf{{key_of(Space::kServiceIp), set_of(SetId::kFirewallIps).name}}}}},
      {"service-endpoints-check",
       {},
       {{refusal_of(Space::kServiceIp, SetId::kNoEndpointServices)}}},
      {"nodeport-endpoints-check",
       {},
       {at_node_addresses(family, node,
                          refusal_of(Space::kNodePort, SetId::kNoEndpointNodePorts))}},
      cluster_ips_chain(family, node),
      reject_chain(family),
  };
}

std::vector<Chain> nat_chains(Family family, const NodeFacts& node) {
  const auto nat = Hook::Type::kNat;
  const Rule to_services = {Verdict{Verdict::Kind::kJump, "services"}};
  // Toggling clears the mark: it is set here.
  const Rule marked = {nft::MatchMark{kMasqueradeMark}, nft::ToggleMark{kMasqueradeMark},
                       nft::Masquerade{}};
  const Rule to_itself = {
      nft::MatchDnat{},
      match_set({Field::kSource, Field::kDestination, Field::kProtocol, Field::kDestinationPort},
                SetId::kHairpins),
      nft::Masquerade{}};
  return {
      base_chain("nat-prerouting", nat, Hook::Point::kPrerouting, kDnat, {to_services}),
      base_chain("nat-output", nat, Hook::Point::kOutput, kDnat, {to_services}),
      base_chain("nat-postrouting", nat, Hook::Point::kPostrouting, kSnat, {marked, to_itself}),
      services_chain(family, node),
  };
}

}  // namespace layout

nft::TableName table_of(Family family) {
  return {family == Family::kV4 ? nft::Family::kIp : nft::Family::kIp6, "proa-proxy"};
}

const nft::Set& set_of(SetId id) {
  static const std::array<nft::Set, kSets> kAll = layout::make_sets();
  return kAll[static_cast<size_t>(id)];
}

const SpaceSets& sets_of(Space space) {
  static constexpr SpaceSets kServiceIpSets = {
      SetId::kServiceIps,     SetId::kServiceEndpoints, SetId::kServiceLocalEndpoints,
      SetId::kStickyServices, SetId::kServiceIds,       SetId::kNoEndpointServices};
  static constexpr SpaceSets kNodePortSets = {
      SetId::kNodePorts,       SetId::kNodePortEndpoints, SetId::kNodePortLocalEndpoints,
      SetId::kStickyNodePorts, SetId::kNodePortIds,       SetId::kNoEndpointNodePorts};
  return space == Space::kServiceIp ? kServiceIpSets : kNodePortSets;
}

nft::Key key_of(Space space) {
  using nft::Field;
  if (space == Space::kNodePort) return {{Field::kProtocol, Field::kDestinationPort}};
  return {{Field::kDestination, Field::kProtocol, Field::kDestinationPort}};
}

nft::Key original_key_of(Space space) {
  using nft::Field;
  if (space == Space::kNodePort) return {{Field::kProtocol, Field::kOriginalDestinationPort}};
  return {{Field::kOriginalDestination, Field::kProtocol, Field::kOriginalDestinationPort}};
}

nft::Data value_of(Refusal refusal) {
  return nft::KeyWriter().number(static_cast<uint32_t>(refusal)).take();
}

std::vector<nft::Element> refusals() {
  using nft::Verdict;
  return {{value_of(Refusal::kDrop), Verdict{Verdict::Kind::kDrop}},
          {value_of(Refusal::kReject), Verdict{Verdict::Kind::kGoto, kRejectChain}}};
}

std::vector<nft::Chain> fixed_chains(Family family, const NodeFacts& node) {
  std::vector<nft::Chain> chains = layout::filter_chains(family, node);
  for (nft::Chain& chain : layout::nat_chains(family, node)) chains.push_back(std::move(chain));
  for (nft::Chain& chain : layout::affinity_chains()) chains.push_back(std::move(chain));
  return chains;
}

std::vector<nft::Element> node_port_ips(Family family, const NodeFacts& node) {
  std::vector<nft::Element> elements;
  if (node.all_node_port_addresses) return elements;
  const IpPrefix loopback = layout::loopback_of(family);
  for (const IpAddress& address : node.node_port_addresses) {
    // Upstream does not serve node ports of the loopback in this mode, either.
    if (family_of(address) != family || loopback.contains(address)) continue;
    elements.push_back({nft::KeyWriter().address(address).take()});
  }
  return elements;
}

std::vector<IpPrefix> pod_ranges(Family family, const NodeFacts& node) {
  std::vector<IpPrefix> ranges;
  for (const IpPrefix& range : node.pod_ranges) {
    if (family_of(range) == family) ranges.push_back(range);
  }
  return ranges;
}

}  // namespace proa::proxy::nftables
