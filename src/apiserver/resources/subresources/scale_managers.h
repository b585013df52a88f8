#pragma once

#include <map>
#include <string_view>

#include "json/value.h"

// The managed fields of an object and of its Scale: the field that the Scale shows has another path
// there (upstream's managedfields.ScaleHandler).

namespace proa::apiserver {

// The field of an object that its Scale shows, by version of the object: "spec.replicas"; empty for
// a version without a Scale.
using ScaledFields = std::map<std::string_view, std::string_view>;

// Those of the Scale: managers who own the object's replicas own those of the Scale. `managers` are
// the object's, and may be null. None if they cannot be read.
json::Value managers_of_scale(const json::Value* managers, const ScaledFields& fields,
                              json::Arena& arena);

// Those of the object after a write of its Scale, whose managed fields are `scale`: new managers
// have the object's version `api_version`. Null if there are none.
json::Value managers_after_scale(const json::Value* managers, const json::Value* scale,
                                 std::string_view api_version, const ScaledFields& fields,
                                 json::Arena& arena);

}  // namespace proa::apiserver
