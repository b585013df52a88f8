#include "proxy/nftables/shared_chain.h"

#include <fmt/format.h>

#include "base/encoding.h"
#include "crypto/digest.h"

namespace proa::proxy::nftables {

namespace shared_chain {

using nft::Rule;
using nft::Verdict;

constexpr size_t kDigestBytesInName = 12;

std::string_view prefix_of(Space space) { return space == Space::kNodePort ? "nodeport-" : ""; }

std::string_view suffix_of(bool sticky) { return sticky ? "-sticky" : ""; }

Verdict to(const PickChain& chain) { return {Verdict::Kind::kGoto, name_of(chain)}; }

PickChain pick_of(const ExternalChain& chain, List list) {
  return {chain.space, list, list == List::kAll ? chain.count : chain.local_count, chain.sticky};
}

struct Namer {
  std::string operator()(const PickChain& chain) const {
    return fmt::format("{}pick-{}{}{}", prefix_of(chain.space),
                       chain.list == List::kLocal ? "local-" : "", chain.count,
                       suffix_of(chain.sticky));
  }
  std::string operator()(const ExternalChain& chain) const {
    if (!chain.local_policy) {
      return fmt::format("{}external-{}{}", prefix_of(chain.space), chain.count,
                         suffix_of(chain.sticky));
    }
    return fmt::format("{}external-local-{}-of-{}{}", prefix_of(chain.space), chain.local_count,
                       chain.count, suffix_of(chain.sticky));
  }
  std::string operator()(const RememberChain& chain) const {
    return fmt::format("{}remember-{}s", prefix_of(chain.space), chain.seconds);
  }
  std::string operator()(const SourcesChain& chain) const {
    std::string all;
    for (const IpPrefix& range : chain.ranges) all += range.str() + ",";
    return "sources-" + to_hex(crypto::sha256(all).view().substr(0, kDigestBytesInName));
  }
};

// A class is a number: of the simplest chains, that of their endpoints, with options in the upper
// bits. With policy Local, of which there are two, the lower bits are shared.
enum Option : uint32_t {
  kLocalPolicy = 1U << 30,
  kNodePort = 1U << 29,
  kSticky = 1U << 28,
  kExternal = 1U << 27,  // without kLocalPolicy
  kLocalList = 1U << 26,
};
constexpr unsigned kLocalShift = 16;
static_assert(kMostEndpoints < 1U << kLocalShift);
static_assert(kMostLocalEndpoints < kSticky >> kLocalShift);

uint32_t options_of(Space space, bool sticky) {
  return (space == Space::kNodePort ? kNodePort : 0U) | (sticky ? kSticky : 0U);
}

ChainClass class_of_number(SetId verdicts, uint32_t number) {
  return {verdicts, nft::KeyWriter().number(number).take()};
}

struct Classifier {
  std::optional<ChainClass> operator()(const PickChain& chain) const {
    return class_of_number(SetId::kClasses, options_of(chain.space, chain.sticky) |
                                                (chain.list == List::kLocal ? kLocalList : 0U) |
                                                chain.count);
  }
  std::optional<ChainClass> operator()(const ExternalChain& chain) const {
    const uint32_t rest =
        chain.local_policy ? kLocalPolicy | chain.local_count << kLocalShift : kExternal;
    return class_of_number(SetId::kClasses,
                           options_of(chain.space, chain.sticky) | rest | chain.count);
  }
  std::optional<ChainClass> operator()(const RememberChain& chain) const {
    return class_of_number(SetId::kTimes, options_of(chain.space, false) | chain.seconds);
  }
  std::optional<ChainClass> operator()(const SourcesChain&) const { return std::nullopt; }
};

// Whom the endpoint is remembered for, at the port of a Service that is the packet's class.
const nft::Key kClient{{nft::Field::kSource, nft::Field::kClass}};

std::vector<Rule> rules_of(const PickChain& chain) {
  const SpaceSets& sets = sets_of(chain.space);
  const bool local = chain.list == List::kLocal;
  const nft::Set& endpoints = set_of(local ? sets.local_endpoints : sets.endpoints);
  nft::Key key = key_of(chain.space);
  key.random_below = chain.count;
  const nft::MapLookup pick{key, endpoints.name};
  if (!chain.sticky) return {{nft::Dnat{pick}}};
  // Where an endpoint is remembered, the chain that remembers clears the class.
  return {{nft::SetClass{{key_of(chain.space), set_of(sets.ids).name}}},
          {nft::Dnat{{kClient, set_of(SetId::kAffinity).name}}},
          {nft::ClearClass{}},
          {nft::Dnat{pick}}};
}

std::vector<Rule> rules_of(const RememberChain& chain) {
  using nft::Field;
  return {{nft::SetClass{{original_key_of(chain.space), set_of(sets_of(chain.space).ids).name}}},
          {nft::Remember{kClient, set_of(SetId::kAffinity).name, chain.seconds,
                         nft::Key{{Field::kDestination, Field::kDestinationPort}}}},
          {nft::ClearClass{}}};
}

std::vector<Rule> rules_of(const ExternalChain& chain, Family family, const NodeFacts& node) {
  const Verdict to_all = to(pick_of(chain, List::kAll));
  // The endpoint may be on another node: answers must come back through this one.
  if (!chain.local_policy) return {{nft::SetMark{kMasqueradeMark}, to_all}};

  std::vector<Rule> rules;
  if (chain.count > 0) {
    // Traffic of pods and of this node is not external: as if it had left and come back through
    // a load balancer.
    for (const IpPrefix& range : pod_ranges(family, node)) {
      rules.push_back({nft::MatchPrefix{nft::Field::kSource, range}, to_all});
    }
    // Its source is the Service's own address, where that is local.
    rules.push_back(
        {nft::MatchLocalAddress{nft::Field::kSource}, nft::SetMark{kMasqueradeMark}, to_all});
  }
  if (chain.local_count > 0) rules.push_back({to(pick_of(chain, List::kLocal))});
  return rules;
}

std::vector<Rule> rules_of(const SourcesChain& chain) {
  std::vector<Rule> rules;
  for (const IpPrefix& range : chain.ranges) {
    rules.push_back(
        {nft::MatchPrefix{nft::Field::kSource, range}, Verdict{Verdict::Kind::kReturn}});
  }
  rules.push_back({Verdict{Verdict::Kind::kDrop}});
  return rules;
}

}  // namespace shared_chain

std::optional<ChainClass> class_of(const SharedChain& chain) {
  return std::visit(shared_chain::Classifier{}, chain);
}

std::string name_of(const SharedChain& chain) { return std::visit(shared_chain::Namer{}, chain); }

std::vector<SharedChain> needed_by(const SharedChain& chain) {
  const auto* external = std::get_if<ExternalChain>(&chain);
  if (external == nullptr) return {};
  std::vector<SharedChain> needed;
  if (external->count > 0) needed.emplace_back(shared_chain::pick_of(*external, List::kAll));
  if (external->local_policy && external->local_count > 0) {
    needed.emplace_back(shared_chain::pick_of(*external, List::kLocal));
  }
  return needed;
}

nft::Chain make_chain(const SharedChain& chain, Family family, const NodeFacts& node) {
  nft::Chain made{name_of(chain)};
  if (const auto* pick = std::get_if<PickChain>(&chain)) {
    made.rules = shared_chain::rules_of(*pick);
  } else if (const auto* external = std::get_if<ExternalChain>(&chain)) {
    made.rules = shared_chain::rules_of(*external, family, node);
  } else if (const auto* sources = std::get_if<SourcesChain>(&chain)) {
    made.rules = shared_chain::rules_of(*sources);
  } else if (const auto* remember = std::get_if<RememberChain>(&chain)) {
    made.rules = shared_chain::rules_of(*remember);
  }
  if (class_of(chain)) made.rules.insert(made.rules.begin(), {nft::ClearClass{}});
  return made;
}

}  // namespace proa::proxy::nftables
