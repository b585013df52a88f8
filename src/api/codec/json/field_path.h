#pragma once

#include <string>
#include <string_view>

#include "api/schema/model.h"

namespace proa::api {

// The position of a decoder: steps on its stack, each pointing to its parent.
struct FieldPath {
  const FieldPath* parent = nullptr;
  const Type* owner = nullptr;  // of a field; null for an item of a list or map
  std::string_view name;        // of a field

  // "PodSpec.spec.containers": the type with the innermost field, and the names of all fields,
  // without indexes and keys, as Go's decoder prints it; empty at the top.
  std::string go_path() const {
    std::string names;
    std::string_view innermost;
    for (const FieldPath* step = this; step != nullptr; step = step->parent) {
      if (step->owner == nullptr) continue;
      if (innermost.empty()) innermost = step->owner->name;
      names.insert(0, step->name);
      names.insert(0, ".");
    }
    return std::string(innermost) + names;
  }
};

}  // namespace proa::api
