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
  // without indexes and keys, as Go's decoder prints it; empty at the top. Fields of a struct that
  // is embedded in Go follow its name: "Volume.spec.volumes.VolumeSource.nfs".
  std::string go_path() const;
};

}  // namespace proa::api
