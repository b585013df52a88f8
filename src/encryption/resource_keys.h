#pragma once

#include <optional>
#include <string_view>

#include "encryption/config/configuration.h"

namespace proa::encryption {

// The resource that a key of the store belongs to.
struct KeyedResource {
  std::string_view prefix;  // of the key: "/registry/secrets"
  std::string_view group;
  std::string_view resource;
};

// By the layout of keys: built-in resources have theirs from the schema, custom ones are at
// /registry/GROUP/RESOURCE/. Nullopt for other keys, such as reserved node ports: they have no API,
// and are not encrypted, as upstream's are not. The views are into the key, or of the schema.
std::optional<KeyedResource> resource_of_key(std::string_view key);

}  // namespace proa::encryption
