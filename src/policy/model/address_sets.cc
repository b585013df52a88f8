#include "policy/model/address_sets.h"

#include <algorithm>

#include "base/check.h"

namespace proa::policy {
namespace address_sets {

// What a pod contributes.
std::vector<SetElement> elements_of(const SetMeaning& meaning, const PodFacts& facts) {
  std::vector<SetElement> elements;
  for (const IpAddress& address : facts.addresses) {
    if (meaning.ports.empty()) elements.push_back({.address = address});
    for (const NamedPort& port : facts.ports) {
      if (!std::ranges::binary_search(meaning.ports, PortName{port.protocol, port.name})) continue;
      elements.push_back({.address = address, .protocol = port.protocol, .port = port.number});
    }
  }
  // Containers may name a port alike.
  std::ranges::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

std::string selector_text(const api::LabelSelector& selector) {
  if (selector.matches_nothing()) return "(none)";
  return selector.matches_everything() ? "(all)" : selector.str();
}

std::string scope_text(const PodPeer& peer) {
  if (!peer.name_space.empty()) return "namespace " + peer.name_space;
  return "namespaces " + selector_text(peer.namespaces);
}

}  // namespace address_sets

std::string text_of(const SetMeaning& meaning) {
  std::string text = address_sets::scope_text(meaning.pods) + ", pods " +
                     address_sets::selector_text(meaning.pods.pods);
  for (const PortName& port : meaning.ports) {
    text += ", port " + std::to_string(port.protocol) + "/" + port.name;
  }
  return text;
}

bool AddressSets::Scope::covers(const std::string& name, const Labels& labels) const {
  if (!name_space.empty()) return name == name_space;
  return namespaces.matches(views_of(labels));
}

AddressSets::Namespace& AddressSets::name_space(const std::string& name) {
  const auto [at, is_new] = namespaces_.try_emplace(name);
  if (is_new) choose_scopes(name, at->second);
  return at->second;
}

void AddressSets::choose_scopes(const std::string& name, Namespace& place) {
  place.scopes.clear();
  for (const auto& [text, scope] : scopes_) {
    if (scope->covers(name, place.labels)) place.scopes.push_back(scope.get());
  }
}

void AddressSets::set_namespace(const std::string& name, std::optional<Labels> labels) {
  Namespace& place = name_space(name);
  Labels wanted = labels.value_or(Labels());
  if (place.labels != wanted) {
    place.labels = std::move(wanted);
    choose_scopes(name, place);
    for (auto& [pod_name, pod] : place.pods) move(pod, pod.facts, sets_of(place, pod.facts));
  }
  if (!labels && place.pods.empty()) namespaces_.erase(name);
}

void AddressSets::set_pod(const client::Key& key, std::optional<PodFacts> facts) {
  Namespace& place = name_space(key.name_space);
  if (facts) {
    std::vector<SetId> sets = sets_of(place, *facts);
    move(place.pods[key.name], std::move(*facts), std::move(sets));
    return;
  }
  const auto pod = place.pods.find(key.name);
  if (pod == place.pods.end()) return;
  move(pod->second, {}, {});
  place.pods.erase(pod);
}

std::vector<SetId> AddressSets::sets_of(const Namespace& place, const PodFacts& facts) const {
  const std::vector<api::LabelPair> labels = views_of(facts.labels);
  std::vector<SetId> sets;
  for (const Scope* scope : place.scopes) {
    const std::vector<SetId> found = scope->sets.find(labels);
    sets.insert(sets.end(), found.begin(), found.end());
  }
  std::ranges::sort(sets);
  return sets;
}

void AddressSets::move(Pod& pod, PodFacts facts, std::vector<SetId> sets) {
  const bool same_places = pod.facts.addresses == facts.addresses && pod.facts.ports == facts.ports;
  if (!same_places || pod.sets != sets) {
    for (const SetId id : sets) add(id, facts);
    for (const SetId id : pod.sets) remove(id, pod.facts);
  }
  pod.facts = std::move(facts);
  pod.sets = std::move(sets);
}

void AddressSets::touch(SetId id, const SetElement& element, bool before) {
  touched_[id].try_emplace(element, before);
}

void AddressSets::add(SetId id, const PodFacts& facts) {
  Set& set = *sets_.at(id);
  for (const SetElement& element : address_sets::elements_of(set.meaning, facts)) {
    if (set.members[element]++ == 0) touch(id, element, false);
  }
}

void AddressSets::remove(SetId id, const PodFacts& facts) {
  Set& set = *sets_.at(id);
  for (const SetElement& element : address_sets::elements_of(set.meaning, facts)) {
    const auto member = set.members.find(element);
    CHECK(member != set.members.end());
    if (--member->second > 0) continue;
    set.members.erase(member);
    touch(id, element, true);
  }
}

AddressSets::Scope& AddressSets::scope_of(const std::string& text, const PodPeer& peer) {
  std::unique_ptr<Scope>& scope = scopes_[text];
  if (scope != nullptr) return *scope;
  scope = std::make_unique<Scope>();
  scope->name_space = peer.name_space;
  scope->namespaces = peer.namespaces;
  for (auto& [name, place] : namespaces_) {
    if (scope->covers(name, place.labels)) place.scopes.push_back(scope.get());
  }
  return *scope;
}

SetId AddressSets::acquire(const SetMeaning& meaning) {
  std::string text = text_of(meaning);
  const auto known = by_text_.find(text);
  if (known != by_text_.end()) {
    ++sets_.at(known->second)->users;
    return known->second;
  }
  const SetId id = ++last_;
  auto set = std::make_unique<Set>();
  set->meaning = meaning;
  set->text = text;
  set->scope = address_sets::scope_text(meaning.pods);
  set->users = 1;
  Scope& scope = scope_of(set->scope, meaning.pods);
  ++scope.users;
  scope.sets.add(id, set->meaning.pods.pods);
  by_text_.emplace(std::move(text), id);
  sets_.emplace(id, std::move(set));
  created_.insert(id);
  fill(id, scope);
  return id;
}

void AddressSets::fill(SetId id, Scope& scope) {
  const api::LabelSelector& selector = sets_.at(id)->meaning.pods.pods;
  for (auto& [name, place] : namespaces_) {
    if (std::ranges::find(place.scopes, &scope) == place.scopes.end()) continue;
    for (auto& [pod_name, pod] : place.pods) {
      if (!selector.matches(views_of(pod.facts.labels))) continue;
      pod.sets.push_back(id);  // the largest so far
      add(id, pod.facts);
    }
  }
}

void AddressSets::release(SetId id) {
  Set& set = *sets_.at(id);
  if (--set.users > 0) return;
  const auto scope = scopes_.find(set.scope);
  const bool last = --scope->second->users == 0;
  scope->second->sets.remove(id);
  for (auto& [name, place] : namespaces_) {
    const auto covered = std::ranges::find(place.scopes, scope->second.get());
    if (covered == place.scopes.end()) continue;
    for (auto& [pod_name, pod] : place.pods) std::erase(pod.sets, id);
    if (last) place.scopes.erase(covered);
  }
  if (last) scopes_.erase(scope);
  by_text_.erase(set.text);
  sets_.erase(id);
  touched_.erase(id);
  if (created_.erase(id) == 0) removed_.push_back(id);
}

bool AddressSets::contains(SetId id, const SetElement& element) const {
  return sets_.at(id)->members.contains(element);
}

std::vector<SetElement> AddressSets::elements(SetId id) const {
  std::vector<SetElement> elements;
  for (const auto& [element, count] : sets_.at(id)->members) elements.push_back(element);
  return elements;
}

std::vector<SetId> AddressSets::all() const {
  std::vector<SetId> ids;
  for (const auto& [id, set] : sets_) ids.push_back(id);
  std::ranges::sort(ids);
  return ids;
}

SetChanges AddressSets::take() {
  SetChanges changes;
  changes.created.assign(created_.begin(), created_.end());
  changes.removed = std::move(removed_);
  for (const auto& [id, elements] : touched_) {
    SetChanges::Elements change;
    for (const auto& [element, before] : elements) {
      const bool after = contains(id, element);
      if (after && !before) change.added.push_back(element);
      if (before && !after) change.removed.push_back(element);
    }
    if (!change.added.empty() || !change.removed.empty()) {
      changes.elements.emplace(id, std::move(change));
    }
  }
  created_.clear();
  removed_.clear();
  touched_.clear();
  return changes;
}

}  // namespace proa::policy
