#include "network/masquerade/masquerade_table.h"

#include <algorithm>

#include "base/check.h"

namespace proa::network {
namespace masquerade_table_unit {

namespace nft = netlink::nft;

constexpr const char* kExceptions = "no-masquerade";
constexpr const char* kSenders = "tunnel-senders";
// After the rules for Services, which clear the mark of packets that they masquerade.
constexpr int kPriority = 110;
// Before connections are tracked.
constexpr int kFirstPriority = -300;

bool is_within(const IpPrefix& one, const IpPrefix& other) {
  return other.bits <= one.bits && other.contains(one.base());
}

// Without those that are within others: ranges of a set do not overlap.
std::vector<IpPrefix> disjoint(std::vector<IpPrefix> all) {
  std::ranges::stable_sort(all, {}, &IpPrefix::bits);
  std::vector<IpPrefix> kept;
  for (const IpPrefix& one : all) {
    const auto covers = [&](const IpPrefix& other) { return is_within(one, other); };
    if (std::ranges::none_of(kept, covers)) kept.push_back(one);
  }
  return kept;
}

IpPrefix prefix_of(const char* text) {
  const auto prefix = parse_prefix(text);
  CHECK(prefix.has_value());
  return *prefix;
}

// Sources that are forged: by pods, or by others who claim to be pods of this node.
nft::Chain source_check(const std::string& bridge, const std::vector<IpPrefix>& own, bool v6) {
  const nft::Verdict drop{nft::Verdict::Kind::kDrop};
  nft::Chain chain{
      "prerouting",
      nft::Hook{nft::Hook::Type::kFilter, nft::Hook::Point::kPrerouting, kFirstPriority},
      {}};
  nft::Rule of_pods = {nft::MatchInput{bridge}};
  for (const IpPrefix& range : own) {
    of_pods.push_back(nft::MatchPrefix{nft::Field::kSource, range, true});
  }
  if (v6) {
    // Neighbours talk to each other before they have other addresses.
    of_pods.push_back(nft::MatchPrefix{nft::Field::kSource, prefix_of("fe80::/10"), true});
    of_pods.push_back(nft::MatchPrefix{nft::Field::kSource, prefix_of("::/128"), true});
  }
  of_pods.push_back(drop);
  chain.rules.push_back(std::move(of_pods));
  // The plugin portmap lets the bridge route to programs that listen on the node's loopback.
  if (!v6) {
    chain.rules.push_back({nft::MatchInput{bridge},
                           nft::MatchPrefix{nft::Field::kDestination, prefix_of("127.0.0.0/8")},
                           drop});
  }
  for (const IpPrefix& range : own) {
    chain.rules.push_back({nft::MatchInput{bridge, true}, nft::MatchInput{"lo", true},
                           nft::MatchPrefix{nft::Field::kSource, range}, drop});
  }
  return chain;
}

// Packets of other VXLAN networks at the same port are their own business.
void add_guard(nft::Table& table, const std::string& bridge, const TunnelGuard& guard) {
  nft::FilledSet senders{{.name = kSenders, .key = {nft::Type::kAddress}}, {}};
  for (const IpAddress& address : guard.senders) {
    senders.elements.push_back({.key = nft::KeyWriter().address(address).take()});
  }
  nft::Chain chain{"input", nft::Hook{nft::Hook::Type::kFilter, nft::Hook::Point::kInput, 0}, {}};
  chain.rules.push_back({nft::MatchVxlan{guard.port, guard.id},
                         nft::MatchSet{nft::Key{{nft::Field::kSource}}, kSenders, true},
                         nft::Verdict{nft::Verdict::Kind::kDrop}});
  // No Service leads into the tunnel: a node port of another node would make anybody a sender.
  const nft::Rule of_services = {nft::MatchVxlan{guard.port, guard.id}, nft::MatchDnat{},
                                 nft::Verdict{nft::Verdict::Kind::kDrop}};
  chain.rules.push_back(of_services);
  table.sets.push_back(std::move(senders));
  table.chains.push_back(std::move(chain));
  // Masqueraded, those of a pod would come from a node. Judged behind the rules of Services, which
  // give packets another destination.
  table.chains.push_back({"forward",
                          nft::Hook{nft::Hook::Type::kFilter, nft::Hook::Point::kForward, 0},
                          {{nft::MatchInput{bridge}, nft::MatchVxlan{guard.port, guard.id},
                            nft::Verdict{nft::Verdict::Kind::kDrop}},
                           of_services}});
}

}  // namespace masquerade_table_unit

Masquerade of_family(const Masquerade& masquerade, bool v6) {
  Masquerade part = masquerade;
  const auto is_other = [&](const IpPrefix& prefix) { return prefix.v6 != v6; };
  std::erase_if(part.from, is_other);
  std::erase_if(part.except, is_other);
  return part;
}

netlink::nft::Table masquerade_table(const NetworkOptions& options, const Masquerade& wanted,
                                     bool v6, const std::optional<TunnelGuard>& guard) {
  using namespace masquerade_table_unit;  // NOLINT: this unit's own
  Masquerade part = of_family(wanted, v6);
  part.except.push_back(prefix_of(v6 ? "ff00::/8" : "224.0.0.0/4"));
  nft::FilledSet exceptions{{.name = kExceptions, .key = {nft::Type::kAddress}, .ranges = true},
                            {}};
  for (const IpPrefix& prefix : disjoint(std::move(part.except))) {
    for (nft::Element& one : nft::range_elements(prefix)) {
      exceptions.elements.push_back(std::move(one));
    }
  }
  nft::Chain chain{"postrouting",
                   nft::Hook{nft::Hook::Type::kNat, nft::Hook::Point::kPostrouting, kPriority},
                   {}};
  for (const IpPrefix& from : part.from) {
    chain.rules.push_back({nft::MatchPrefix{nft::Field::kSource, from},
                           nft::MatchSet{nft::Key{{nft::Field::kDestination}}, kExceptions, true},
                           nft::Masquerade{}});
  }
  nft::Table table{{v6 ? nft::Family::kIp6 : nft::Family::kIp, table_name(options)},
                   {std::move(exceptions)},
                   {}};
  if (!chain.rules.empty()) {
    table.chains.push_back(std::move(chain));
    table.chains.push_back(source_check(options.bridge, part.from, v6));
  }
  if (guard && guard->v6 == v6) add_guard(table, options.bridge, *guard);
  return table;
}

}  // namespace proa::network
