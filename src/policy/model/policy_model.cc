#include "policy/model/policy_model.h"

#include <algorithm>

#include "base/check.h"

namespace proa::policy {
namespace policy_model {

void insert(std::vector<PolicyId>& ids, PolicyId id) {
  ids.insert(std::ranges::upper_bound(ids, id), id);
}

std::vector<PortName> names_of(const std::vector<Ports>& ports) {
  std::vector<PortName> names;
  for (const Ports& one : ports) {
    if (!one.name.empty()) names.push_back({.protocol = one.protocol, .name = one.name});
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace policy_model

void PolicyModel::set_namespace(const std::string& name, std::optional<Labels> labels) {
  sets_.set_namespace(name, std::move(labels));
}

void PolicyModel::set_pod(const client::Key& key, std::optional<PodFacts> facts) {
  sets_.set_pod(key, facts);
  if (facts && !facts->local) facts.reset();
  set_local(key, std::move(facts));
}

std::vector<PolicyId> PolicyModel::policies_for(const Namespace& place,
                                                const PodFacts& facts) const {
  return place.subjects.find(views_of(facts.labels));
}

void PolicyModel::set_local(const client::Key& key, std::optional<PodFacts> facts) {
  const auto known = namespaces_.find(key.name_space);
  if (!facts && known == namespaces_.end()) return;
  Namespace& place = namespaces_[key.name_space];
  if (facts) {
    std::vector<PolicyId> policies = policies_for(place, *facts);
    move(key, place.pods[key.name], std::move(*facts), std::move(policies));
    return;
  }
  const auto pod = place.pods.find(key.name);
  if (pod == place.pods.end()) return;
  move(key, pod->second, {}, {});
  place.pods.erase(pod);
  if (place.pods.empty() && place.subjects.empty()) namespaces_.erase(key.name_space);
}

// New ones first, so that sets which both use stay.
void PolicyModel::move(const client::Key& key, LocalPod& pod, PodFacts facts,
                       std::vector<PolicyId> policies) {
  if (pod.policies != policies) {
    for (const PolicyId id : policies) select(id);
    for (const PolicyId id : pod.policies) deselect(id);
    touched_.insert(pod.facts.addresses.begin(), pod.facts.addresses.end());
    touched_.insert(facts.addresses.begin(), facts.addresses.end());
  }
  if (pod.facts.addresses != facts.addresses) {
    for (const IpAddress& address : pod.facts.addresses) {
      const auto at = addresses_.find(address);
      at->second.erase(key);
      if (at->second.empty()) addresses_.erase(at);
      touched_.insert(address);
    }
    for (const IpAddress& address : facts.addresses) {
      addresses_[address][key] = &pod;
      touched_.insert(address);
    }
  }
  pod.facts = std::move(facts);
  pod.policies = std::move(policies);
}

void PolicyModel::select(PolicyId id) {
  Policy& policy = *policies_.at(id);
  if (policy.pods++ > 0) return;
  ActivePolicy active{
      .key = policy.key, .ingress = policy.facts.ingress, .egress = policy.facts.egress};
  compile(policy, Direction::kIngress, active.from);
  compile(policy, Direction::kEgress, active.to);
  active_.emplace(id, std::move(active));
  created_.insert(id);
}

void PolicyModel::deselect(PolicyId id) {
  Policy& policy = *policies_.at(id);
  if (--policy.pods > 0) return;
  const auto active = active_.find(id);
  release(active->second.from);
  release(active->second.to);
  active_.erase(active);
  if (created_.erase(id) == 0) removed_.push_back(id);
}

void PolicyModel::compile_peers(const Allowance& allowance, Permission& permission) {
  std::vector<AddressPeer> blocks;
  for (const Peer& peer : allowance.peers) {
    if (const auto* pods = std::get_if<PodPeer>(&peer)) {
      permission.peers.push_back(sets_.acquire({.pods = *pods}));
    } else {
      blocks.push_back(std::get<AddressPeer>(peer));
    }
  }
  permission.any_peer = allowance.peers.empty();
  permission.blocks4 = ranges_of(blocks, false);
  permission.blocks6 = ranges_of(blocks, true);
}

// A named port is that of the called pod: of ingress one of the policy's own, of egress a peer.
// Peers and names are sets of their own, so that many of both are not a set for each pair.
void PolicyModel::compile(const Policy& policy, Direction direction,
                          std::vector<Permission>& into) {
  if (!policy.facts.restricts(direction)) return;
  const std::vector<Allowance>& allowances = policy.facts.allowances(direction);
  for (size_t rule = 0; rule < allowances.size(); ++rule) {
    const Allowance& allowance = allowances[rule];
    std::vector<PortName> names = policy_model::names_of(allowance.ports);
    Permission permission{
        .any_port = allowance.ports.empty(), .ports = ranges_of(allowance.ports), .rule = rule};
    compile_peers(allowance, permission);
    if (!names.empty() && direction == Direction::kIngress) {
      permission.named =
          sets_.acquire({.pods = {.name_space = policy.key.name_space, .pods = policy.facts.pods},
                         .ports = std::move(names)});
    } else if (!names.empty() && (permission.any_peer || !permission.peers.empty())) {
      // Addresses outside of the cluster have no names for their ports.
      into.push_back({.any_peer = permission.any_peer, .peers = permission.peers, .rule = rule});
      for (const SetId id : permission.peers) sets_.retain(id);
      into.back().named = sets_.acquire({.pods = {}, .ports = std::move(names)});
    }
    into.push_back(std::move(permission));
  }
}

void PolicyModel::release(const std::vector<Permission>& permissions) {
  for (const Permission& permission : permissions) {
    for (const SetId id : permission.peers) sets_.release(id);
    if (permission.named) sets_.release(*permission.named);
  }
}

void PolicyModel::set_policy(const client::Key& key, std::optional<PolicyFacts> facts) {
  const auto known = by_key_.find(key);
  if (known == by_key_.end() && !facts) return;
  if (known != by_key_.end() && facts && policies_.at(known->second)->facts == *facts) return;
  Namespace& place = namespaces_[key.name_space];
  const std::optional<PolicyId> before =
      known == by_key_.end() ? std::nullopt : std::optional(known->second);
  if (facts) {
    const PolicyId id = ++last_;
    auto policy = std::make_unique<Policy>(Policy{.key = key, .facts = std::move(*facts)});
    place.subjects.add(id, policy->facts.pods);
    const api::LabelSelector& selector = policy->facts.pods;
    policies_.emplace(id, std::move(policy));
    by_key_[key] = id;
    for (auto& [name, pod] : place.pods) {
      if (!selector.matches(views_of(pod.facts.labels))) continue;
      select(id);
      policy_model::insert(pod.policies, id);
      touched_.insert(pod.facts.addresses.begin(), pod.facts.addresses.end());
    }
  } else {
    by_key_.erase(known);
  }
  if (before) remove_policy(place, *before);
  if (place.pods.empty() && place.subjects.empty()) namespaces_.erase(key.name_space);
}

void PolicyModel::remove_policy(Namespace& place, PolicyId id) {
  place.subjects.remove(id);
  for (auto& [name, pod] : place.pods) {
    if (std::erase(pod.policies, id) == 0) continue;
    deselect(id);
    touched_.insert(pod.facts.addresses.begin(), pod.facts.addresses.end());
  }
  policies_.erase(id);
}

ModelChange PolicyModel::take() {
  ModelChange change{.sets = sets_.take(),
                     .created = {created_.begin(), created_.end()},
                     .removed = std::move(removed_),
                     .pods = std::move(touched_)};
  created_.clear();
  removed_.clear();
  touched_.clear();
  return change;
}

ModelChange PolicyModel::everything() const {
  ModelChange change;
  change.sets.created = sets_.all();
  for (const SetId id : change.sets.created) {
    change.sets.elements[id].added = sets_.elements(id);
  }
  for (const auto& [id, policy] : active_) change.created.push_back(id);
  for (const auto& [address, pods] : addresses_) change.pods.insert(address);
  return change;
}

std::vector<PolicyId> PolicyModel::policies_of(const IpAddress& pod, Direction direction) const {
  std::vector<PolicyId> policies;
  const auto found = addresses_.find(pod);
  if (found == addresses_.end()) return policies;
  for (const auto& [key, local] : found->second) {
    for (const PolicyId id : local->policies) {
      if (active_.at(id).restricts(direction)) policies.push_back(id);
    }
  }
  std::ranges::sort(policies);
  policies.erase(std::unique(policies.begin(), policies.end()), policies.end());
  return policies;
}

std::vector<IpAddress> PolicyModel::local_addresses() const {
  std::vector<IpAddress> addresses;
  addresses.reserve(addresses_.size());
  for (const auto& [address, pods] : addresses_) addresses.push_back(address);
  return addresses;
}

bool PolicyModel::matches(const Permission& permission, const Connection& connection,
                          Direction direction) const {
  const IpAddress& other =
      direction == Direction::kIngress ? connection.source : connection.destination;
  const auto has = [&](SetId id) { return sets_.contains(id, {.address = other}); };
  const bool is_peer = permission.any_peer || std::ranges::any_of(permission.peers, has) ||
                       contains(permission.blocks(!other.is_v4()), other);
  if (!is_peer || permission.any_port) return is_peer;
  const SetElement place{
      .address = connection.destination, .protocol = connection.protocol, .port = connection.port};
  if (permission.named && sets_.contains(*permission.named, place)) return true;
  return std::ranges::any_of(permission.ports, [&](const ProtocolPorts& ports) {
    return ports.protocol == connection.protocol && ports.contains(connection.port);
  });
}

std::optional<PolicyModel::Reason> PolicyModel::allowed_by(
    const Connection& connection, Direction direction,
    const std::vector<PolicyId>& policies) const {
  for (const PolicyId id : policies) {
    for (const Permission& permission : active_.at(id).permissions(direction)) {
      if (matches(permission, connection, direction)) return Reason{id, permission.rule};
    }
  }
  return std::nullopt;
}

bool PolicyModel::allows(const Connection& connection) const {
  // A pod always reaches itself.
  if (connection.source == connection.destination) return true;
  return std::ranges::all_of(kDirections, [&](Direction direction) {
    const std::vector<PolicyId> policies = policies_of(
        direction == Direction::kIngress ? connection.destination : connection.source, direction);
    return policies.empty() || allowed_by(connection, direction, policies).has_value();
  });
}

}  // namespace proa::policy
