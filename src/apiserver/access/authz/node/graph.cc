#include "apiserver/access/authz/node/graph.h"

#include <algorithm>

#include "base/check.h"

namespace proa::apiserver {
namespace graph {

uint64_t incarnation_of(std::string_view uid) { return std::hash<std::string_view>()(uid); }

std::string pod_key(std::string_view name_space, std::string_view name) {
  return std::string(name_space).append("/").append(name);
}

}  // namespace graph

// Prefixed with the length of the namespace, so that keys are unique whatever the names contain.
std::string NodeGraph::named_key(Relative kind, std::string_view name_space,
                                 std::string_view name) {
  const auto length = static_cast<uint32_t>(name_space.size());
  std::string key;
  key.reserve(1 + sizeof(length) + name_space.size() + name.size());
  key.push_back(static_cast<char>(kind));
  key.append(reinterpret_cast<const char*>(&length), sizeof(length));
  return key.append(name_space).append(name);
}

bool NodeGraph::is_claim(const Named& named) {
  return named.first.front() == static_cast<char>(Relative::kClaim);
}

NodeGraph::Named* NodeGraph::hold(Relative kind, std::string_view name_space,
                                  std::string_view name) {
  Named& named = *named_.try_emplace(named_key(kind, name_space, name), 0).first;
  ++named.second;
  return &named;
}

void NodeGraph::release(Named* named) {
  CHECK(named->second > 0);
  if (--named->second == 0) named_.erase(named_.find(named->first));
}

const NodeGraph::Named* NodeGraph::find(Relative kind, std::string_view name_space,
                                        std::string_view name) const {
  const auto found = named_.find(named_key(kind, name_space, name));
  return found == named_.end() ? nullptr : &*found;
}

void NodeGraph::put_pod(std::string_view key, const PodFacts& facts) {
  remove_pod(key);
  if (facts.node.empty()) return;
  auto& node = *nodes_.try_emplace(std::string(facts.node)).first;
  ++node.second.pods;
  Pod pod{&node, graph::incarnation_of(facts.uid), facts.generation, facts.has_claims, {}};
  for (const Reference& reference : facts.references) {
    pod.names.push_back(hold(reference.kind, facts.name_space, reference.name));
  }
  pod.names.shrink_to_fit();
  for (const Named* named : pod.names) {
    ++(is_claim(*named) ? node.second.claims : node.second.others)[named];
  }
  pods_.emplace(key, std::move(pod));
}

void NodeGraph::remove_pod(std::string_view key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  const Pod& pod = found->second;
  Node& node = pod.node->second;
  for (Named* named : pod.names) {
    Counts& counts = is_claim(*named) ? node.claims : node.others;
    const auto count = counts.find(named);
    if (--count->second == 0) counts.erase(count);
    release(named);
  }
  if (--node.pods == 0) nodes_.erase(nodes_.find(pod.node->first));
  pods_.erase(found);
}

bool NodeGraph::knows_pod(std::string_view key, std::string_view uid, int64_t generation) const {
  const auto found = pods_.find(key);
  if (found == pods_.end() || generation == 0) return false;
  const Pod& pod = found->second;
  return pod.generation == generation && !pod.has_claims &&
         pod.incarnation == graph::incarnation_of(uid);
}

void NodeGraph::put_volume(std::string_view name, api::View volume) {
  remove_volume(name);
  // Trusts the volume's claimRef only: a claim's author could name any volume.
  const api::View claim = volume["spec"]["claimRef"];
  if (!claim) return;
  Volume& made = volumes_.try_emplace(std::string(name)).first->second;
  made.claim = hold(Relative::kClaim, claim["namespace"].text(), claim["name"].text());
  volumes_of_claim_[made.claim].insert(&made);
  for (const SecretReference& secret : secrets_of_volume(volume)) {
    made.secrets.push_back(hold(Relative::kSecret, secret.name_space, secret.name));
    volumes_of_secret_[made.secrets.back()].insert(&made);
  }
}

void NodeGraph::remove_volume(std::string_view name) {
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return;
  const Volume& volume = found->second;
  forget(volumes_of_claim_, volume.claim, &volume);
  release(volume.claim);
  for (Named* secret : volume.secrets) {
    forget(volumes_of_secret_, secret, &volume);
    release(secret);
  }
  volumes_.erase(found);
}

// A volume that references it twice is removed at the first call.
void NodeGraph::forget(Volumes& volumes, const Named* named, const Volume* volume) {
  const auto found = volumes.find(named);
  if (found == volumes.end()) return;
  found->second.erase(volume);
  if (found->second.empty()) volumes.erase(found);
}

void NodeGraph::place(Relative kind, std::string_view name, std::string_view node) {
  std::string key = named_key(kind, "", name);
  if (node.empty()) {
    places_.erase(key);
  } else {
    places_.insert_or_assign(std::move(key), std::string(node));
  }
}

bool NodeGraph::is_related(std::string_view node, Relative kind, std::string_view name_space,
                           std::string_view name) const {
  const bool is_placed =
      kind == Relative::kAttachment || kind == Relative::kSlice || kind == Relative::kLocalVolume;
  if (is_placed) {
    const auto place = places_.find(named_key(kind, name_space, name));
    return place != places_.end() && place->second == node;
  }
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return false;
  if (kind == Relative::kPod) {
    const auto pod = pods_.find(graph::pod_key(name_space, name));
    return pod != pods_.end() && pod->second.node == &*found;
  }
  if (kind == Relative::kVolume) return name_space.empty() && has_volume(found->second, name);
  const Named* named = find(kind, name_space, name);
  if (named == nullptr) return false;
  if (has(found->second, named)) return true;
  return kind == Relative::kSecret && has_secret_of_volume(found->second, named);
}

bool NodeGraph::has(const Node& node, const Named* named) {
  return (is_claim(*named) ? node.claims : node.others).contains(named);
}

bool NodeGraph::has_volume(const Node& node, std::string_view name) const {
  const auto volume = volumes_.find(name);
  return volume != volumes_.end() && has(node, volume->second.claim);
}

bool NodeGraph::has_secret_of_volume(const Node& node, const Named* secret) const {
  const auto with_secret = volumes_of_secret_.find(secret);
  if (with_secret == volumes_of_secret_.end()) return false;
  if (with_secret->second.size() <= node.claims.size()) {
    return std::any_of(with_secret->second.begin(), with_secret->second.end(),
                       [&](const Volume* volume) { return has(node, volume->claim); });
  }
  for (const auto& [claim, count] : node.claims) {
    const auto claimed = volumes_of_claim_.find(claim);
    if (claimed == volumes_of_claim_.end()) continue;
    for (const Volume* volume : claimed->second) {
      if (with_secret->second.contains(volume)) return true;
    }
  }
  return false;
}

}  // namespace proa::apiserver
