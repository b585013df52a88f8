#include "proxy/nftables/table_state.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace proa::proxy::nftables {

namespace table_state {

std::string key_of(const TableElement& common) {
  return static_cast<char>(common.set) + common.element.key;
}

TableElement element_of(const std::string& key) {
  return {static_cast<SetId>(key[0]), {key.substr(1)}};
}

bool by_place(const TableElement& a, const TableElement& b) {
  return std::tie(a.set, a.element.key) < std::tie(b.set, b.element.key);
}

TableChange::Elements& elements_in(TableChange& change, SetId set) {
  return change.sets[static_cast<size_t>(set)];
}

// The element that leads to a chain which has a class.
std::optional<TableElement> verdict_for(const SharedChain& chain) {
  std::optional<ChainClass> named = class_of(chain);
  if (!named) return std::nullopt;
  using nft::Verdict;
  return TableElement{named->verdicts,
                      {std::move(named->key), Verdict{Verdict::Kind::kGoto, name_of(chain)}}};
}

// Elements that are only in one of the lists.
void add_difference(std::vector<TableElement> old, std::vector<TableElement> now,
                    TableChange& change) {
  std::sort(old.begin(), old.end(), by_place);
  std::sort(now.begin(), now.end(), by_place);
  auto was = old.begin();
  auto is = now.begin();
  while (was != old.end() || is != now.end()) {
    const bool only_old = is == now.end() || (was != old.end() && by_place(*was, *is));
    const bool only_now = was == old.end() || (is != now.end() && by_place(*is, *was));
    const bool same = !only_old && !only_now && *was == *is;
    if (!same && !only_now) {
      elements_in(change, was->set).removed.push_back(std::move(was->element));
    }
    if (!same && !only_old) elements_in(change, is->set).added.push_back(std::move(is->element));
    if (!only_now) ++was;
    if (!only_old) ++is;
  }
}

}  // namespace table_state

ServicePortPtr TableState::owner_of(const Address& address) const {
  const auto found = claims_.find(address);
  return found == claims_.end() ? nullptr : found->second.front();
}

uint32_t TableState::sticky_id(const ServicePort& port) const {
  return port.affinity_seconds == 0 ? 0 : sticky_ids_.of(port.name);
}

void TableState::add(const ServicePortPtr& port, Before& before) {
  if (port->affinity_seconds > 0) sticky_ids_.take(port->name);
  for (const Address& address : addresses_of(*port)) {
    before.owners.try_emplace(address, owner_of(address));
    Claims& claims = claims_[address];
    const auto place = std::lower_bound(
        claims.begin(), claims.end(), port,
        [](const ServicePortPtr& a, const ServicePortPtr& b) { return a->name < b->name; });
    claims.insert(place, port);
  }
  for (const TableElement& element : common_elements(*port)) {
    std::string key = table_state::key_of(element);
    uint32_t& uses = common_[key];
    before.common.try_emplace(std::move(key), uses > 0);
    ++uses;
  }
}

void TableState::remove(const ServicePortPtr& port, Before& before) {
  for (const Address& address : addresses_of(*port)) {
    before.owners.try_emplace(address, owner_of(address));
    const auto found = claims_.find(address);
    CHECK(found != claims_.end());
    std::erase_if(found->second,
                  [&](const ServicePortPtr& one) { return one->name == port->name; });
    if (found->second.empty()) claims_.erase(found);
  }
  for (const TableElement& element : common_elements(*port)) {
    std::string key = table_state::key_of(element);
    const auto found = common_.find(key);
    CHECK(found != common_.end());
    before.common.try_emplace(std::move(key), true);
    if (--found->second == 0) common_.erase(found);
  }
}

void TableState::use(const SharedChain& chain, Before& before) {
  std::string name = name_of(chain);
  const auto [place, added] = chains_.try_emplace(name, ChainUse{chain});
  before.chains.try_emplace(std::move(name),
                            added ? std::nullopt : std::optional<SharedChain>(chain));
  if (place->second.uses++ > 0) return;
  for (const SharedChain& needed : needed_by(chain)) use(needed, before);
}

void TableState::disuse(const SharedChain& chain, Before& before) {
  std::string name = name_of(chain);
  const auto found = chains_.find(name);
  CHECK(found != chains_.end());
  before.chains.try_emplace(std::move(name), chain);
  if (--found->second.uses > 0) return;
  chains_.erase(found);
  for (const SharedChain& needed : needed_by(chain)) disuse(needed, before);
}

void TableState::update_address(const Address& address, const ServicePort* previous, Before& before,
                                TableChange& change) {
  const ServicePortPtr owner = owner_of(address);
  AddressRules old;
  AddressRules now;
  if (previous != nullptr) old = rules_at(address, *previous, sticky_id(*previous), node_);
  if (owner != nullptr) now = rules_at(address, *owner, sticky_id(*owner), node_);
  for (const SharedChain& chain : now.chains) use(chain, before);
  for (const SharedChain& chain : old.chains) disuse(chain, before);
  table_state::add_difference(std::move(old.elements), std::move(now.elements), change);
}

// Where affinity led before and must not lead any longer. A port without affinity needs no number.
void TableState::forget(const Change& change, std::set<Memory>& forgotten) {
  const ServicePort* before = change.before.get();
  const ServicePort* after = change.after.get();
  if (before == nullptr || before->family != family_ || before->affinity_seconds == 0) return;
  std::set<Memory> old = memories_of(*before, sticky_id(*before), Remote::kAllowed);
  if (after != nullptr && after->affinity_seconds > 0) {
    for (const Memory& memory : memories_of(*after, sticky_id(*after), Remote::kAllowed)) {
      old.erase(memory);
    }
  } else {
    sticky_ids_.give_back(before->name);
  }
  forgotten.merge(old);
}

TableChange TableState::change(std::span<const Change> changes) {
  Before before;
  for (const Change& one : changes) {
    if (one.before != nullptr && one.before->family == family_) remove(one.before, before);
    if (one.after != nullptr && one.after->family == family_) add(one.after, before);
  }
  TableChange change;
  for (const auto& [address, previous] : before.owners) {
    update_address(address, previous.get(), before, change);
  }
  for (const Change& one : changes) forget(one, change.forgotten);
  for (const auto& [key, existed] : before.common) {
    const bool exists = common_.contains(key);
    if (existed == exists) continue;
    TableElement element = table_state::element_of(key);
    TableChange::Elements& elements = table_state::elements_in(change, element.set);
    (exists ? elements.added : elements.removed).push_back(std::move(element.element));
  }
  for (const auto& [name, old] : before.chains) {
    const auto found = chains_.find(name);
    const bool exists = found != chains_.end();
    if (exists && !old) {
      change.new_chains.push_back(make_chain(found->second.chain, family_, node_));
      if (auto verdict = table_state::verdict_for(found->second.chain)) {
        table_state::elements_in(change, verdict->set).added.push_back(std::move(verdict->element));
      }
    }
    if (!exists && old) change.unused_chains.push_back({name, table_state::verdict_for(*old)});
  }
  return change;
}

void TableState::assign(const NodeFacts& node, std::span<const ServicePortPtr> all) {
  node_ = node;
  claims_.clear();
  chains_.clear();
  common_.clear();
  sticky_ids_.clear();
  Before ignored;
  for (const ServicePortPtr& port : all) {
    if (port->family == family_) add(port, ignored);
  }
  for (const auto& [address, claims] : claims_) {
    const ServicePort& port = *claims.front();
    for (const SharedChain& chain : rules_at(address, port, sticky_id(port), node_).chains) {
      use(chain, ignored);
    }
  }
}

std::set<Memory> TableState::memories() const {
  std::set<Memory> all;
  std::set<const ServicePort*> known;
  for (const auto& [address, claims] : claims_) {
    for (const ServicePortPtr& port : claims) {
      if (port->affinity_seconds == 0 || !known.insert(port.get()).second) continue;
      all.merge(memories_of(*port, sticky_id(*port), Remote::kForbidden));
    }
  }
  return all;
}

nft::Table TableState::table() const {
  nft::Table table{table_of(family_), {}, fixed_chains(family_, node_)};
  table.sets.reserve(kSets);
  for (size_t id = 0; id < kSets; ++id) table.sets.push_back({set_of(static_cast<SetId>(id)), {}});
  const auto add = [&](TableElement element) {
    table.sets[static_cast<size_t>(element.set)].elements.push_back(std::move(element.element));
  };
  for (const auto& [address, claims] : claims_) {
    const ServicePort& port = *claims.front();
    for (TableElement& element : rules_at(address, port, sticky_id(port), node_).elements) {
      add(std::move(element));
    }
  }
  for (const auto& [key, uses] : common_) add(table_state::element_of(key));
  for (nft::Element& element : node_port_ips(family_, node_)) {
    add({SetId::kNodePortIps, std::move(element)});
  }
  for (nft::Element& element : refusals()) add({SetId::kRefusals, std::move(element)});
  for (const auto& [name, use] : chains_) {
    table.chains.push_back(make_chain(use.chain, family_, node_));
    if (auto verdict = table_state::verdict_for(use.chain)) add(std::move(*verdict));
  }
  return table;
}

}  // namespace proa::proxy::nftables
