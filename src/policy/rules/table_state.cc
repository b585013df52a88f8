#include "policy/rules/table_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::policy {
namespace table_state {

// The fixed sets, in the order of TableChange::elements.
enum Fixed : uint8_t { kIngressPods, kEgressPods, kRestricted, kItself };

std::vector<TableChange::Elements> fixed_elements() {
  return {{pods_map(Direction::kIngress)},
          {pods_map(Direction::kEgress)},
          {restricted_set()},
          {itself_set()}};
}

nft::Element key_of(const IpAddress& address) {
  return {.key = nft::KeyWriter().address(address).take()};
}

nft::Element pair_of(const IpAddress& address) {
  return {.key = nft::KeyWriter().address(address).address(address).take()};
}

nft::Element verdict_of(const IpAddress& address, std::string chain) {
  nft::Element element = key_of(address);
  element.value = nft::Verdict{nft::Verdict::Kind::kGoto, std::move(chain)};
  return element;
}

bool is_isolated(const std::array<std::vector<PolicyId>, 2>& policies) {
  return !policies[0].empty() || !policies[1].empty();
}

}  // namespace table_state

std::string TableState::join(const PolicyModel& model, Direction direction,
                             const Policies& policies, TableChange& into) {
  Group& group = groups_[{direction, policies}];
  if (group.pods++ > 0) return group.chain;
  group.chain =
      fmt::format("pods-{}/{}", direction == Direction::kIngress ? "in" : "out", ++last_group_);
  std::vector<std::string> names;
  for (const PolicyId id : policies) {
    names.push_back(policy_chain_name(id, model.policy(id), direction));
  }
  into.new_chains.push_back(pods_chain(group.chain, names));
  return group.chain;
}

std::string TableState::leave(Direction direction, const Policies& policies, TableChange& into) {
  const auto found = groups_.find({direction, policies});
  std::string chain = found->second.chain;
  if (--found->second.pods > 0) return chain;
  into.old_chains.push_back(chain);
  groups_.erase(found);
  return chain;
}

void TableState::change_pod(const PolicyModel& model, const IpAddress& address, TableChange& into) {
  using namespace table_state;  // NOLINT: this unit's own
  const auto known = pods_.find(address);
  const PodPolicies before = known == pods_.end() ? PodPolicies() : known->second;
  PodPolicies after;
  for (const Direction direction : kDirections) {
    const auto at = static_cast<size_t>(direction);
    after[at] = model.policies_of(address, direction);
    if (before[at] == after[at]) continue;
    TableChange::Elements& elements = into.elements[at];
    // First the new one: a chain that both have stays.
    if (!after[at].empty()) {
      elements.added.push_back(verdict_of(address, join(model, direction, after[at], into)));
    }
    if (!before[at].empty()) {
      elements.removed.push_back(verdict_of(address, leave(direction, before[at], into)));
    }
  }
  if (is_isolated(after) && !is_isolated(before)) {
    into.elements[kRestricted].added.push_back(key_of(address));
    into.elements[kItself].added.push_back(pair_of(address));
  }
  if (is_isolated(before) && !is_isolated(after)) {
    into.elements[kRestricted].removed.push_back(key_of(address));
    into.elements[kItself].removed.push_back(pair_of(address));
  }
  if (is_isolated(after)) {
    pods_[address] = std::move(after);
  } else if (known != pods_.end()) {
    pods_.erase(known);
  }
}

void TableState::change_sets(const PolicyModel& model, const SetChanges& changes,
                             TableChange& into) {
  for (const SetId id : changes.created) {
    const nft::Set set = set_of(id, model.sets().meaning(id));
    sets_.emplace(id, set.name);
    into.new_sets.push_back(set);
  }
  for (const auto& [id, change] : changes.elements) {
    TableChange::Elements elements{set_of(id, model.sets().meaning(id))};
    for (const SetElement& one : change.removed) {
      if (family_of(one.address) == family_) elements.removed.push_back(element_of(one));
    }
    for (const SetElement& one : change.added) {
      if (family_of(one.address) == family_) elements.added.push_back(element_of(one));
    }
    into.elements.push_back(std::move(elements));
  }
  for (const SetId id : changes.removed) {
    const auto found = sets_.find(id);
    if (found == sets_.end()) continue;
    into.old_sets.push_back(std::move(found->second));
    sets_.erase(found);
  }
}

void TableState::add_policy(const PolicyModel& model, PolicyId id, TableChange& into) {
  for (const Direction direction : kDirections) {
    PolicyRules rules = policy_rules(family_, id, model.policy(id), direction);
    for (nft::FilledSet& filled : rules.sets) {
      ranges_[id].push_back(filled.set.name);
      into.new_sets.push_back(filled.set);
      into.elements.push_back({.set = std::move(filled.set), .added = std::move(filled.elements)});
    }
    for (nft::Chain& chain : rules.chains) {
      chains_[id].push_back(chain.name);
      into.new_chains.push_back(std::move(chain));
    }
  }
}

void TableState::remove_policy(PolicyId id, TableChange& into) {
  const auto take = [id](auto& from, std::vector<std::string>& to) {
    const auto found = from.find(id);
    if (found == from.end()) return;
    for (std::string& name : found->second) to.push_back(std::move(name));
    from.erase(found);
  };
  take(chains_, into.old_chains);
  take(ranges_, into.old_sets);
}

TableChange TableState::change(const PolicyModel& model, const ModelChange& change) {
  TableChange into{.elements = table_state::fixed_elements()};
  change_sets(model, change.sets, into);
  for (const PolicyId id : change.created) add_policy(model, id, into);
  for (const IpAddress& address : change.pods) {
    if (family_of(address) == family_) change_pod(model, address, into);
  }
  for (const PolicyId id : change.removed) remove_policy(id, into);
  return into;
}

nft::Table TableState::table(const PolicyModel& model) {
  groups_.clear();
  pods_.clear();
  chains_.clear();
  ranges_.clear();
  sets_.clear();
  TableChange all = change(model, model.everything());
  nft::Table table{name_, {}, base_chains(family_, bridge_)};
  std::map<std::string, size_t> places;
  for (const TableChange::Elements& elements : table_state::fixed_elements()) {
    places[elements.set.name] = table.sets.size();
    table.sets.push_back({elements.set, {}});
  }
  for (const nft::Set& set : all.new_sets) {
    places[set.name] = table.sets.size();
    table.sets.push_back({set, {}});
  }
  for (TableChange::Elements& elements : all.elements) {
    table.sets[places.at(elements.set.name)].elements = std::move(elements.added);
  }
  for (nft::Chain& chain : all.new_chains) table.chains.push_back(std::move(chain));
  return table;
}

}  // namespace proa::policy
