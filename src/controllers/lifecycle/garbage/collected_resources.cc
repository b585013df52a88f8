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

CollectedResources::CollectedResources(const ControllerContext& context) : schema_(context.schema) {
  for (const api::Resource* resource : context.schema.resources()) {
    const bool is_stored = !resource->key_prefix.empty() && !resource->is_converted();
    if (!is_stored || !resource->verbs.has(api::Verb::kGet)) continue;
    CollectedResource& added = all_.emplace_back();
    added.resource = resource;
    added.name = resource->name;
    if (!resource->group.empty()) added.name += "." + std::string(resource->group);
    if (collected_resources::is_followed(*resource)) {
      added.informer = &context.informers.of(resource->group, resource->name);
    }
  }
}

const CollectedResource* CollectedResources::find_kind(std::string_view api_version,
                                                       std::string_view kind) const {
  const api::Type* type = schema_.find_kind(api_version, kind);
  const api::Resource* resource = type == nullptr ? nullptr : schema_.find_resource_of(*type);
  if (resource == nullptr) return nullptr;
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const CollectedResource& one) {
    return one.resource == resource->stored;
  });
  return found == all_.end() ? nullptr : &*found;
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
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const CollectedResource& one) {
    return one.name == halves->before;
  });
  CHECK(found != all_.end());
  return {*found, {key.name_space, std::string(halves->after)}};
}

}  // namespace proa::controllers
