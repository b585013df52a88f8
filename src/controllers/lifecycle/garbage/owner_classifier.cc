#include "controllers/lifecycle/garbage/owner_classifier.h"

#include <algorithm>

#include "controllers/framework/writes.h"

namespace proa::controllers {
namespace standing {

bool is_owner(const api::ObjectPtr& found, const OwnerIdentity& owner) {
  return found != nullptr && found->metadata().uid == owner.uid;
}

// Goes through all objects of the resource, which is why what it finds is remembered with the
// absent owner.
bool is_elsewhere(const CollectedResource& resource, std::string_view uid) {
  if (resource.informer == nullptr || !resource.resource->namespaced) return false;
  const std::vector<api::ObjectPtr> all = resource.informer->cache().list();
  return std::any_of(all.begin(), all.end(),
                     [&](const api::ObjectPtr& one) { return one->metadata().uid == uid; });
}

}  // namespace standing

Result<api::ObjectPtr> StandingCheck::find_owner(const CollectedResource& resource,
                                                 const OwnerIdentity& owner,
                                                 Standing& standing) const {
  const client::Key key{owner.name_space, owner.name};
  if (resource.informer != nullptr) {
    api::ObjectPtr cached = resource.informer->cache().get(key);
    if (standing::is_owner(cached, owner)) return cached;
  }
  Result<api::ObjectPtr> live = client_.get(place_of(*resource.resource, key));
  if (!live && !live.is(Reason::kNotFound)) return live.status();
  if (!live || !standing::is_owner(*live, owner)) return api::ObjectPtr();
  (resource.informer == nullptr ? standing.unfollowed : standing.unheard) = true;
  return live;
}

Result<bool> StandingCheck::look_for(const CollectedResource& resource, const OwnerIdentity& owner,
                                     Standing& standing) const {
  if (absent_.find(owner)) return false;
  const api::ObjectPtr found = TRY(find_owner(resource, owner, standing));
  if (found == nullptr) {
    absent_.add(owner, standing::is_elsewhere(resource, owner.uid));
    return false;
  }
  const bool waits = deletion_of(*found) == Deletion::kForeground;
  ++(waits ? standing.waiting : standing.solid);
  return !waits;
}

Result<void> StandingCheck::look_at(const api::Object& object, const OwnerReference& reference,
                                    Standing& standing) const {
  const CollectedResource* resource = resources_.find_kind(reference.api_version, reference.kind);
  if (resource == nullptr) {
    ++standing.solid;
    return {};
  }
  OwnerIdentity owner;
  owner.resource = resource->resource;
  owner.name = reference.name;
  owner.uid = reference.uid;
  if (resource->resource->namespaced) owner.name_space = object.metadata().name_space;
  // What belongs to no namespace can't have an owner in one. It is told, but as upstream does it,
  // nothing is deleted for a mistake of that kind.
  const bool is_impossible = resource->resource->namespaced && owner.name_space.empty();
  if (is_impossible) {
    ++standing.solid;
    if (standing::is_elsewhere(*resource, reference.uid)) standing.misplaced.push_back(reference);
    return {};
  }
  const bool is_held = TRY(look_for(*resource, owner, standing));
  if (is_held) return {};
  standing.lost.insert(reference.uid);
  if (absent_.find(owner).value_or(false)) standing.misplaced.push_back(reference);
  return {};
}

Result<Standing> StandingCheck::check(const api::Object& object) const {
  Standing standing;
  for (const OwnerReference& reference : owner_references(object)) {
    TRY(look_at(object, reference, standing));
  }
  return standing;
}

}  // namespace proa::controllers
