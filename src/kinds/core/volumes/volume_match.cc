#include "kinds/core/volumes/volume_match.h"

#include "api/object/edit.h"

namespace proa::kinds {

bool is_bound_to(const VolumeFacts& volume, const ClaimFacts& claim) {
  if (!volume.claim) return false;
  if (volume.claim->name != claim.name || volume.claim->name_space != claim.name_space) {
    return false;
  }
  return volume.claim->uid.empty() || volume.claim->uid == claim.uid;
}

bool satisfies_claim(const VolumeFacts& volume, const ClaimFacts& claim) {
  return !volume.being_deleted && volume.capacity >= claim.request &&
         volume.is_block == claim.is_block && volume.attributes_class == claim.attributes_class;
}

bool is_candidate(const api::Object& object, const ClaimFacts& claim) {
  const VolumeFacts& volume = volume_facts(object);
  if (volume.phase != "Available" || volume.storage_class != claim.class_name()) return false;
  return !claim.selector || claim.selector->matches(object.metadata().labels);
}

bool bind_volume(json::Document& volume, const VolumeFacts& facts, const api::Object& claim) {
  const ClaimFacts& wanted = claim_facts(claim);
  const api::Edit object(volume);
  const bool was_reserved = is_bound_to(facts, wanted);
  const bool changed =
      !was_reserved &&
      object.object("metadata").object("annotations").set_default(kBoundByController, "yes");
  if (was_reserved && facts.claim->uid == wanted.uid) return changed;
  const api::Edit spec = object.object("spec");
  spec.remove("claimRef");
  const api::Edit reference = spec.object("claimRef");
  reference.set("kind", "PersistentVolumeClaim");
  reference.set("namespace", wanted.name_space);
  reference.set("name", wanted.name);
  reference.set("uid", wanted.uid);
  reference.set("apiVersion", "v1");
  reference.set("resourceVersion", claim.metadata().resource_version);
  return true;
}

}  // namespace proa::kinds
