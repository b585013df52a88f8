#include "encryption/resource_keys.h"

#include <unordered_map>

#include "api/schema/builtin.h"

namespace proa::encryption {
namespace resource_keys {

constexpr std::string_view kRoot = "/registry/";

using Prefixes = std::unordered_map<std::string_view, const api::Resource*>;

const Prefixes& builtin() {
  static const Prefixes kPrefixes = [] {
    Prefixes prefixes;
    for (const api::Resource* resource : api::builtin_schema().resources()) {
      if (resource->key_prefix.empty() || resource->is_converted()) continue;
      prefixes.emplace(resource->key_prefix, resource);
    }
    return prefixes;
  }();
  return kPrefixes;
}

}  // namespace resource_keys

std::optional<KeyedResource> resource_of_key(std::string_view key) {
  using namespace resource_keys;
  if (!key.starts_with(kRoot)) return std::nullopt;
  const size_t first = key.find('/', kRoot.size());
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = key.find('/', first + 1);
  // The longer one first: "/registry/services/specs".
  for (const size_t end : {second, first}) {
    if (end == std::string_view::npos) continue;
    const auto found = builtin().find(key.substr(0, end));
    if (found != builtin().end()) {
      return KeyedResource{key.substr(0, end), found->second->group, found->second->name};
    }
  }
  const std::string_view group = key.substr(kRoot.size(), first - kRoot.size());
  // Groups of custom resources have a dot, and nothing else there has.
  if (second == std::string_view::npos || group.find('.') == std::string_view::npos) {
    return std::nullopt;
  }
  return KeyedResource{key.substr(0, second), group, key.substr(first + 1, second - first - 1)};
}

}  // namespace proa::encryption
