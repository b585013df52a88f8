#include "controllers/lifecycle/garbage/owner_classifier.h"

#include <algorithm>

#include "controllers/framework/writes.h"

namespace proa::controllers {
namespace owner_classifier {

bool is_owner(const api::ObjectPtr& found, const OwnerIdentity& owner) {
  return found != nullptr && found->metadata().uid == owner.uid;
}

// Goes through all objects of the resource, which is why what it finds is remembered with the
// absent owner.
bool is_elsewhere(const CollectedResource& resource, std::string_view uid) {
  if (resource.cache == nullptr || !resource.resource->namespaced) return false;
  const std::vector<api::ObjectPtr> all = resource.cache->list();
  return std::any_of(all.begin(), all.end(),
                     [&](const api::ObjectPtr& one) { return one->metadata().uid == uid; });
}

}  // namespace owner_classifier

Result<api::ObjectPtr> OwnerClassifier::find_owner(const CollectedResource& resource,
                                                   const OwnerIdentity& owner,
                                                   ClassifiedOwners& owners) const {
  const client::Key key{owner.name_space, owner.name};
  if (resource.cache != nullptr) {
    api::ObjectPtr cached = resource.cache->get(key);
    if (owner_classifier::is_owner(cached, owner)) return cached;
  }
  Result<api::ObjectPtr> live = client_.get(place_of(*resource.resource, key));
  if (!live && !live.is(Reason::kNotFound)) return live.status();
  if (!live || !owner_classifier::is_owner(*live, owner)) return api::ObjectPtr();
  (resource.cache == nullptr ? owners.unwatched : owners.not_in_cache) = true;
  return live;
}

Result<bool> OwnerClassifier::look_for(const CollectedResource& resource,
                                       const OwnerIdentity& owner, ClassifiedOwners& owners) const {
  if (absent_.find(owner)) return false;
  const api::ObjectPtr found = TRY(find_owner(resource, owner, owners));
  if (found == nullptr) {
    absent_.add(owner, owner_classifier::is_elsewhere(resource, owner.uid));
    return false;
  }
  const bool waits = deletion_of(*found) == Deletion::kForeground;
  ++(waits ? owners.waiting : owners.solid);
  return !waits;
}

Result<void> OwnerClassifier::look_at(const api::Object& object, const OwnerReference& reference,
                                      ClassifiedOwners& owners) const {
  const CollectedResourcePtr resource = resources_.find_kind(reference.api_version, reference.kind);
  if (resource == nullptr) {
    // The definition of a custom kind goes with its last object; what it owned is left.
    if (graph_.is_gone(reference.uid)) {
      owners.lost.insert(reference.uid);
    } else {
      ++owners.solid;
      owners.unwatched = true;
    }
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
    ++owners.solid;
    if (owner_classifier::is_elsewhere(*resource, reference.uid))
      owners.misplaced.push_back(reference);
    return {};
  }
  const bool is_held = TRY(look_for(*resource, owner, owners));
  if (is_held) return {};
  owners.lost.insert(reference.uid);
  if (absent_.find(owner).value_or(false)) owners.misplaced.push_back(reference);
  return {};
}

Result<ClassifiedOwners> OwnerClassifier::classify(const api::Object& object) const {
  ClassifiedOwners owners;
  for (const OwnerReference& reference : owner_references(object)) {
    TRY(look_at(object, reference, owners));
  }
  return owners;
}

}  // namespace proa::controllers
