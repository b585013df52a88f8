#include "controllers/storage/binder/match.h"

#include <tuple>

namespace proa::controllers::storage {
namespace match {

// Upstream prefers fewer access modes even to a volume reserved for the claim; here the reservation
// comes first.
bool is_better(const kinds::VolumeFacts& a, const kinds::VolumeFacts& b) {
  const bool reserved_a = a.claim.has_value();
  const bool reserved_b = b.claim.has_value();
  if (reserved_a != reserved_b) return reserved_a;
  return std::forward_as_tuple(a.modes.count(), a.capacity, a.name) <
         std::forward_as_tuple(b.modes.count(), b.capacity, b.name);
}

}  // namespace match

std::string mismatch(const kinds::VolumeFacts& volume, const kinds::ClaimFacts& claim) {
  if (volume.being_deleted) return "the volume is marked for deletion \"" + volume.name + "\"";
  if (volume.capacity.value() < claim.request.value()) return "requested PV is too small";
  if (volume.storage_class != claim.class_name()) return "storageClassName does not match";
  if (volume.attributes_class != claim.attributes_class) {
    return "volumeAttributesClassName does not match";
  }
  if (volume.is_block != claim.is_block) return "incompatible volumeMode";
  if (!volume.modes.contain(claim.modes)) return "incompatible accessMode";
  return {};
}

bool could_serve(const api::Object& object, const kinds::ClaimFacts& claim, bool delayed) {
  const kinds::VolumeFacts& volume = kinds::volume_facts(object);
  if (!kinds::satisfies_claim(volume, claim) || !volume.modes.contain(claim.modes)) return false;
  if (volume.claim) return kinds::is_bound_to(volume, claim);
  return !delayed && kinds::is_candidate(object, claim);
}

api::ObjectPtr find_best_match(const kinds::ClaimFacts& claim,
                               std::span<const api::ObjectPtr> volumes, bool delayed) {
  api::ObjectPtr best;
  for (const api::ObjectPtr& volume : volumes) {
    if (!could_serve(*volume, claim, delayed)) continue;
    if (best == nullptr ||
        match::is_better(kinds::volume_facts(*volume), kinds::volume_facts(*best))) {
      best = volume;
    }
  }
  return best;
}

}  // namespace proa::controllers::storage
