#include "controllers/lifecycle/garbage/collected_resources.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::controllers {
namespace collected_resources {

using api::Verb;

bool is_followed(const api::Resource& resource) {
  const bool is_event = resource.group.empty() && resource.name == "events";
  return !is_event && resource.verbs.has(Verb::kDelete) && resource.verbs.has(Verb::kList) &&
         resource.verbs.has(Verb::kWatch);
}

}  // namespace collected_resources

CollectedResources::CollectedResources(const ControllerContext& context)
    : schema_(context.schema), custom_resources_(context.informers.custom()) {
  for (const api::Resource* resource : context.schema.resources()) {
    const bool is_stored = !resource->key_prefix.empty() && !resource->is_converted();
    if (!is_stored || !resource->verbs.has(api::Verb::kGet)) continue;
    const auto added = std::make_shared<CollectedResource>();
    added->resource = resource;
    added->name = resource->name;
    if (!resource->group.empty()) added->name += "." + std::string(resource->group);
    if (collected_resources::is_followed(*resource)) {
      added->cache = &context.informers.of(resource->group, resource->name).cache();
    }
    built_in_.push_back(added);
  }
}

void CollectedResources::add(const FollowedCustomPtr& followed) {
  const auto added = std::make_shared<CollectedResource>();
  added->resource = &followed->resource();
  added->cache = &followed->cache();
  added->name = followed->definition().name();
  added->followed = followed;
  MutexLock lock(mutex_);
  custom_.insert_or_assign(added->name, added);
}

void CollectedResources::remove(const FollowedCustomPtr& followed) {
  MutexLock lock(mutex_);
  const auto found = custom_.find(followed->definition().name());
  if (found != custom_.end() && found->second->followed == followed) custom_.erase(found);
}

CollectedResourcePtr CollectedResources::of(const FollowedCustom& followed) const {
  CollectedResourcePtr found = find_custom(followed.definition().name());
  CHECK(found != nullptr && found->followed.get() == &followed);
  return found;
}

CollectedResourcePtr CollectedResources::find_custom(std::string_view name) const {
  MutexLock lock(mutex_);
  const auto found = custom_.find(name);
  return found == custom_.end() ? nullptr : found->second;
}

CollectedResourcePtr CollectedResources::find_kind(std::string_view api_version,
                                                   std::string_view kind) const {
  const api::Type* type = schema_.find_kind(api_version, kind);
  const api::Resource* resource = type == nullptr ? nullptr : schema_.find_resource_of(*type);
  if (resource == nullptr) {
    const CustomVersion custom = custom_resources_.find_kind(api_version, kind);
    return custom ? find_custom(custom.definition->name()) : nullptr;
  }
  const auto found = std::ranges::find_if(built_in_, [&](const CollectedResourcePtr& one) {
    return one->resource == resource->stored;
  });
  return found == built_in_.end() ? nullptr : *found;
}

client::Key CollectedResources::key_of(const CollectedResource& resource,
                                       const api::Object& object) {
  client::Key key = client::Key::of(object);
  key.name = resource.name + "/" + key.name;
  return key;
}

CollectedResources::Found CollectedResources::find(const client::Key& key) const {
  const std::optional<Halves> halves = split_once(key.name, '/');
  CHECK(halves.has_value());
  client::Key object{key.name_space, std::string(halves->after)};
  const auto found = std::ranges::find_if(
      built_in_, [&](const CollectedResourcePtr& one) { return one->name == halves->before; });
  if (found != built_in_.end()) return {*found, std::move(object)};
  return {find_custom(halves->before), std::move(object)};
}

}  // namespace proa::controllers
