#pragma once

#include <compare>
#include <functional>
#include <string>

#include "api/object/object.h"

namespace proa::client {

// Identifies an object of a resource. Cluster-scoped objects have no namespace.
struct Key {
  std::string name_space;
  std::string name;

  static Key of(const api::Object& object) {
    const api::Metadata& metadata = object.metadata();
    return {std::string(metadata.name_space), std::string(metadata.name)};
  }
  // "default/web", "node-1": for logs.
  std::string str() const { return name_space.empty() ? name : name_space + "/" + name; }

  auto operator<=>(const Key&) const = default;
};

}  // namespace proa::client

template <>
struct std::hash<proa::client::Key> {
  size_t operator()(const proa::client::Key& key) const {
    const std::hash<std::string> of_text;
    return of_text(key.name) * 31 + of_text(key.name_space);
  }
};
