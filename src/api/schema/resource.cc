#include "api/schema/resource.h"

#include <algorithm>
#include <array>

namespace proa::api {
namespace resource {

constexpr std::array<std::string_view, 8> kVerbNames{
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};

}  // namespace resource

std::string_view verb_name(Verb verb) { return resource::kVerbNames[static_cast<size_t>(verb)]; }

std::optional<Verb> verb_from_name(std::string_view name) {
  const auto& names = resource::kVerbNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Verb>(found - names.begin());
}

const Subresource* Resource::find_subresource(std::string_view subresource) const {
  const auto found = std::find_if(subresources.begin(), subresources.end(),
                                  [&](const Subresource& one) { return one.name == subresource; });
  return found == subresources.end() ? nullptr : &*found;
}

}  // namespace proa::api
