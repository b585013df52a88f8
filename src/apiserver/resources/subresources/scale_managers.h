#pragma once

#include <string_view>

#include "json/value.h"

// The managed fields of an object and of its Scale: the field that the Scale shows has another path
// there (upstream's managedfields.ScaleHandler).

namespace proa::apiserver {

// The field of an object that its Scale shows.
struct ScaledField {
  std::string_view api_version;  // of the object
  std::string_view path;         // "spec.replicas"
};

// Those of the Scale: managers who own the object's replicas own those of the Scale. `managers` are
// the object's, and may be null. None if they cannot be read.
json::Value managers_of_scale(const json::Value* managers, const ScaledField& field,
                              json::Arena& arena);

// Those of the object after a write of its Scale, whose managed fields are `scale`. Null if there
// are none.
json::Value managers_after_scale(const json::Value* managers, const json::Value* scale,
                                 const ScaledField& field, json::Arena& arena);

}  // namespace proa::apiserver
