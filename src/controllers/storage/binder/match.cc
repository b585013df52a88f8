#include "controllers/storage/binder/match.h"

#include <tuple>

namespace proa::controllers::storage {
namespace match {

// Less is better. Upstream prefers fewer access modes even to a volume that is reserved for the
// claim; a reservation that is passed over helps nobody.
bool is_better(const VolumeFacts& a, const VolumeFacts& b) {
  const bool reserved_a = a.claim.has_value();
  const bool reserved_b = b.claim.has_value();
  if (reserved_a != reserved_b) return reserved_a;
  return std::forward_as_tuple(a.modes.count(), a.capacity, a.name) <
         std::forward_as_tuple(b.modes.count(), b.capacity, b.name);
}

// What even a reserved volume must have.
bool has_what_is_asked(const VolumeFacts& volume, const ClaimFacts& claim) {
  return !volume.being_deleted && volume.modes.contain(claim.modes) &&
         volume.capacity >= claim.request && volume.is_block == claim.is_block &&
         volume.attributes_class == claim.attributes_class;
}

}  // namespace match

bool is_bound_to(const VolumeFacts& volume, const ClaimFacts& claim) {
  if (!volume.claim) return false;
  if (volume.claim->name != claim.name || volume.claim->name_space != claim.name_space) {
    return false;
  }
  return volume.claim->uid.empty() || volume.claim->uid == claim.uid;
}

std::string mismatch(const VolumeFacts& volume, const ClaimFacts& claim) {
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

bool could_serve(const api::Object& object, const ClaimFacts& claim, bool delayed) {
  const VolumeFacts& volume = volume_facts(object);
  if (!match::has_what_is_asked(volume, claim)) return false;
  if (volume.claim) return is_bound_to(volume, claim);
  if (delayed || volume.phase != "Available") return false;
  if (volume.storage_class != claim.class_name()) return false;
  return !claim.selector || claim.selector->matches(object.metadata().labels);
}

api::ObjectPtr find_best_match(const ClaimFacts& claim, std::span<const api::ObjectPtr> volumes,
                               bool delayed) {
  api::ObjectPtr best;
  for (const api::ObjectPtr& volume : volumes) {
    if (!could_serve(*volume, claim, delayed)) continue;
    if (best == nullptr || match::is_better(volume_facts(*volume), volume_facts(*best))) {
      best = volume;
    }
  }
  return best;
}

}  // namespace proa::controllers::storage
