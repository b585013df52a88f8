#include "apiserver/access/admission/matching/equivalents.h"

#include "custom/definition/definition.h"

namespace proa::apiserver {
namespace equivalent_resources {

bool has_part(const api::Resource& resource, std::string_view subresource) {
  return subresource.empty() || resource.find_subresource(subresource) != nullptr;
}

}  // namespace equivalent_resources

Equivalents::Equivalents(const api::Schema& builtin) {
  for (const api::Resource* resource : builtin.resources()) {
    if (!resource->key_prefix.empty()) by_prefix_[resource->key_prefix].push_back(resource);
  }
  std::erase_if(by_prefix_, [](const auto& entry) { return entry.second.size() < 2; });
}

std::vector<const api::Resource*> Equivalents::of(const Subject& subject) const {
  std::vector<const api::Resource*> others;
  const api::Resource& own = subject.resource();
  const auto add = [&](const api::Resource* version) {
    if (version->group == own.group && version->version == own.version) return;
    if (!equivalent_resources::has_part(*version, subject.subresource())) return;
    others.push_back(version);
  };
  if (own.custom) {
    for (const api::Resource* version : custom::custom_resource(own).definition().resources()) {
      add(version);
    }
    return others;
  }
  const auto found = by_prefix_.find(own.key_prefix);
  if (found == by_prefix_.end()) return others;
  for (const api::Resource* version : found->second) add(version);
  return others;
}

}  // namespace proa::apiserver
