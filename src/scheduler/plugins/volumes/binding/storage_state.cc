#include "scheduler/plugins/volumes/binding/storage_state.h"

#include <algorithm>

namespace proa::scheduler {
namespace storage_state {

constexpr std::string_view kOffers = "scheduler.offers";

std::string offer(std::string_view storage_class, std::string_view claim) {
  return std::string(storage_class) + '\n' + std::string(claim);
}

// Most volumes are bound and usable by their claim only: they are indexed by that claim.
std::vector<std::string> offers_of(const api::Object& volume) {
  const kinds::VolumeFacts& facts = kinds::volume_facts(volume);
  if (!facts.claim) return {offer(facts.storage_class, "")};
  return {offer(facts.storage_class, facts.claim->name_space + "/" + facts.claim->name)};
}

client::Informer& volumes_of(client::Informers& informers) {
  return informers.indexed("", "persistentvolumes", kOffers, offers_of);
}

}  // namespace storage_state

StorageState::StorageState(client::Informers& informers)
    : claims(informers.of("", "persistentvolumeclaims")),
      volumes(storage_state::volumes_of(informers)),
      classes(informers.of("storage.k8s.io", "storageclasses").cache()),
      csi_nodes(informers.of("storage.k8s.io", "csinodes").cache()),
      drivers(informers.of("storage.k8s.io", "csidrivers").cache()),
      capacities(informers.of("storage.k8s.io", "csistoragecapacities").cache()) {}

std::vector<api::ObjectPtr> StorageState::volumes_for(const kinds::ClaimFacts& claim) const {
  using namespace storage_state;
  std::vector<api::ObjectPtr> found =
      volumes.cache().find(std::string(kOffers), offer(claim.class_name(), ""));
  const std::vector<api::ObjectPtr> reserved = volumes.cache().find(
      std::string(kOffers), offer(claim.class_name(), claim.name_space + "/" + claim.name));
  const auto middle = found.insert(found.end(), reserved.begin(), reserved.end());
  std::inplace_merge(found.begin(), middle, found.end(), [](const auto& a, const auto& b) {
    return a->metadata().name < b->metadata().name;
  });
  for (api::ObjectPtr& volume : found) volume = volumes.current(volume);
  return found;
}

}  // namespace proa::scheduler
