#include "scheduler/plugins/volumes/binding/claim_search.h"

#include <algorithm>

#include "scheduler/plugins/volumes/csi_state.h"
#include "scheduler/plugins/volumes/volume_place.h"

namespace proa::scheduler {
namespace claim_search {

// Whether the claim's class has volumeBindingMode WaitForFirstConsumer.
bool waits(const StorageState& storage, const kinds::ClaimFacts& claim) {
  if (claim.class_name().empty()) return false;
  const api::ObjectPtr its_class = storage.classes.get({"", std::string(claim.class_name())});
  return its_class != nullptr && kinds::class_facts(*its_class).waits_for_consumer;
}

bool is_migrated(const VolumePlace& place) {
  return place.in_tree != nullptr && place.in_tree->migrates;
}

bool is_anywhere(const api::Object& volume) {
  return !kinds::volume_facts(volume).node_affinity && !is_migrated(volume_place(volume));
}

}  // namespace claim_search

Result<SortedClaims> sort_claims(const StorageState& storage, const Pod& pod) {
  SortedClaims sorted;
  for (const PodVolume& volume : volumes_of(pod)) {
    if (!volume.has_claim()) continue;
    const api::ObjectPtr claim = storage.claims.get({std::string(pod.name_space()), volume.name});
    if (claim == nullptr) return not_found("persistentvolumeclaim", volume.name);
    TRY(check_owner(pod, volume, *claim));
    const kinds::ClaimFacts& facts = kinds::claim_facts(*claim);
    if (!facts.volume.empty() && facts.bind_completed) {
      sorted.bound.push_back(claim);
    } else if (facts.volume.empty() && claim_search::waits(storage, facts)) {
      sorted.delayed.push_back(claim);
    } else {
      sorted.has_immediate = true;
    }
  }
  return sorted;
}

bool can_have(const api::Metadata& node, const client::Cache& csi_nodes,
              const api::Object& volume) {
  const VolumePlace& place = volume_place(volume);
  if (claim_search::is_migrated(place)) {
    const api::ObjectPtr csi_node = csi_nodes.get({"", std::string(node.name)});
    if (csi_node != nullptr && csi_node_facts(*csi_node).has_migrated(place.in_tree->name)) {
      return !place.in_tree_affinity || place.in_tree_affinity->matches(node);
    }
  }
  const auto& affinity = kinds::volume_facts(volume).node_affinity;
  return !affinity || affinity->matches(node);
}

ClaimSearch::ClaimSearch(const StorageState& storage, const SortedClaims& claims)
    : storage_(storage), must_ask_(!claims.delayed.empty()) {
  for (const api::ObjectPtr& claim : claims.bound) {
    api::ObjectPtr volume = storage.volumes.get({"", kinds::claim_facts(*claim).volume});
    must_ask_ = must_ask_ || volume == nullptr || !claim_search::is_anywhere(*volume);
    bound_.push_back({.claim = claim, .volume = std::move(volume)});
  }
  for (const api::ObjectPtr& claim : claims.delayed) {
    const kinds::ClaimFacts& facts = kinds::claim_facts(*claim);
    const bool promised = facts.selected_node.has_value();
    const auto volumes = promised ? std::vector<api::ObjectPtr>() : storage.volumes_for(facts);
    (promised ? promised_ : open_)
        .push_back({.claim = claim,
                    .choice = VolumeChoice(facts, volumes),
                    .provisioning = Provisioning(storage, facts)});
  }
  std::stable_sort(open_.begin(), open_.end(), [](const Delayed& a, const Delayed& b) {
    return kinds::claim_facts(*a.claim).request < kinds::claim_facts(*b.claim).request;
  });
}

const ClaimSearch::Bound* ClaimSearch::find_refused(const api::Metadata& node) const {
  for (const Bound& bound : bound_) {
    if (bound.volume == nullptr || !can_have(node, storage_.csi_nodes, *bound.volume)) {
      return &bound;
    }
  }
  return nullptr;
}

const ClaimSearch::Delayed* ClaimSearch::find_promised_elsewhere(const api::Metadata& node) const {
  for (const Delayed& delayed : promised_) {
    if (*kinds::claim_facts(*delayed.claim).selected_node != node.name) return &delayed;
  }
  return nullptr;
}

ClaimSearch::Outcome ClaimSearch::look(const api::Metadata& node, VolumeBindings* bindings) {
  Outcome outcome;
  if (const Bound* refused = find_refused(node)) {
    outcome.problems = refused->volume == nullptr ? problem::kVolumeGone : problem::kBoundElsewhere;
  }
  refused_ = find_promised_elsewhere(node);
  if (refused_ != nullptr) {
    outcome.problems |= problem::kNoVolume;
    return outcome;
  }
  taken_.clear();
  unmatched_.clear();
  for (const Delayed& delayed : promised_) unmatched_.push_back(&delayed);
  for (const Delayed& delayed : open_) {
    const api::ObjectPtr* volume = delayed.choice.find(node, taken_);
    if (volume == nullptr) {
      unmatched_.push_back(&delayed);
      continue;
    }
    taken_.push_back(volume);
    if (bindings != nullptr) bindings->bind.push_back({.claim = delayed.claim, .volume = *volume});
  }
  for (const Delayed* delayed : unmatched_) {
    const Outcome one = provision(*delayed, node, bindings);
    outcome.problems |= one.problems;
    outcome.error = one.error;
    if (one.problems != 0) refused_ = delayed;
    if (one.problems != 0 || one.error != nullptr) break;
  }
  return outcome;
}

ClaimSearch::Outcome ClaimSearch::provision(const Delayed& delayed, const api::Metadata& node,
                                            VolumeBindings* bindings) const {
  const Provisioning& provisioning = delayed.provisioning;
  if (!provisioning.error().empty()) return {.error = &provisioning.error()};
  switch (provisioning.ask(node)) {
    case Provisioning::Answer::kNotThere:
      return {.problems = problem::kNoVolume};
    case Provisioning::Answer::kNoSpace:
      return {.problems = problem::kNoSpace};
    case Provisioning::Answer::kYes:
      break;
  }
  if (bindings != nullptr) bindings->provision.push_back(delayed.claim);
  return {};
}

std::string ClaimSearch::suggestion(const api::Metadata& node) {
  const Outcome outcome = look(node, nullptr);
  if (const Bound* refused = find_refused(node)) {
    const std::string& volume = kinds::claim_facts(*refused->claim).volume;
    if (refused->volume == nullptr) return "recreate volume " + volume;
    return "volume " + volume + " requires a node that matches its node affinity";
  }
  if (refused_ == nullptr) return {};
  const kinds::ClaimFacts& claim = kinds::claim_facts(*refused_->claim);
  const std::string what = claim.request.str() + " of class " + std::string(claim.class_name()) +
                           " for claim " + claim.name;
  if ((outcome.problems & problem::kNoSpace) != 0) return "add space for " + what;
  if (claim.selected_node && *claim.selected_node != node.name) {
    return "claim " + claim.name + " is being provisioned for node " + *claim.selected_node;
  }
  return "add a volume with " + what;
}

}  // namespace proa::scheduler
