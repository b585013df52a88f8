#include "scheduler/plugins/volumes/binding/volume_choice.h"

#include <algorithm>

#include "kinds/core/volumes/volume_match.h"
#include "scheduler/plugins/volumes/volume_place.h"

namespace proa::scheduler {
namespace volume_choice {

bool can_have(const api::Metadata& node, const api::Object& volume) {
  const auto& affinity = kinds::volume_facts(volume).node_affinity;
  return !affinity || affinity->matches(node);
}

bool is_taken(const api::ObjectPtr& volume, VolumeChoice::Taken taken) {
  return std::any_of(taken.begin(), taken.end(), [&](const api::ObjectPtr* one) {
    return (*one)->metadata().name == volume->metadata().name;
  });
}

}  // namespace volume_choice

// As upstream's FindMatchingVolume(): a reserved volume need not have the access modes, nor be
// available.
VolumeChoice::VolumeChoice(const kinds::ClaimFacts& claim,
                           std::span<const api::ObjectPtr> volumes) {
  for (const api::ObjectPtr& volume : volumes) {
    const kinds::VolumeFacts& facts = kinds::volume_facts(*volume);
    if (!kinds::satisfies_claim(facts, claim)) continue;
    if (facts.claim) {
      if (kinds::is_bound_to(facts, claim)) reserved_.push_back(volume);
    } else if (facts.modes.contain(claim.modes) && kinds::is_candidate(*volume, claim)) {
      by_size_.push_back(volume);
    }
  }
  std::stable_sort(by_size_.begin(), by_size_.end(), [](const auto& a, const auto& b) {
    return kinds::volume_facts(*a).capacity < kinds::volume_facts(*b).capacity;
  });
  index();
}

void VolumeChoice::index() {
  for (uint32_t position = 0; position < by_size_.size(); ++position) {
    const VolumePlace& place = volume_place(*by_size_[position]);
    if (place.pin_label.empty()) anywhere_.push_back(position);
    for (const std::string& value : place.pin_values) {
      Positions& positions = pinned(place.pin_label, value);
      if (positions.empty() || positions.back() != position) positions.push_back(position);
    }
  }
}

VolumeChoice::Positions& VolumeChoice::pinned(std::string_view label, std::string_view value) {
  for (Pinned& one : pinned_) {
    if (one.label == label) return one.by_value[value];
  }
  return pinned_.emplace_back(Pinned{.label = label}).by_value[value];
}

bool VolumeChoice::fits(uint32_t position, const api::Metadata& node, Taken taken) const {
  const api::ObjectPtr& volume = by_size_[position];
  return volume_choice::can_have(node, *volume) && !volume_choice::is_taken(volume, taken);
}

const api::ObjectPtr* VolumeChoice::find(const api::Metadata& node, Taken taken) const {
  for (const api::ObjectPtr& volume : reserved_) {
    if (volume_choice::is_taken(volume, taken)) continue;
    return volume_choice::can_have(node, *volume) ? &volume : nullptr;
  }
  auto best = static_cast<uint32_t>(by_size_.size());
  const auto look = [&](const Positions& positions) {
    for (const uint32_t position : positions) {
      if (position >= best) return;
      if (fits(position, node, taken)) best = position;
    }
  };
  look(anywhere_);
  for (const Pinned& one : pinned_) {
    const std::string_view* value = node.label(one.label);
    if (value == nullptr) continue;
    const auto found = one.by_value.find(*value);
    if (found != one.by_value.end()) look(found->second);
  }
  return best < by_size_.size() ? &by_size_[best] : nullptr;
}

}  // namespace proa::scheduler
