#pragma once

#include "api/structure/structure.h"
#include "base/cost/budget.h"
#include "custom/decode/prune.h"

namespace proa::custom {

struct MetadataOptions {
  // Malformed fields are dropped instead of refused: for objects of old versions that are read from
  // storage.
  bool drops_malformed = false;
  UnknownFields* unknown = nullptr;  // null: nobody asks
  std::string_view root = {};        // where the object is, for messages
};

// The metadata of an object as upstream would print it after reading it: without unknown fields,
// canonical. `path`: of the object; "<nil>" for the object itself. Does nothing if it has none.
// Fails in the words of Go's decoder.
Result<void> canonicalize_metadata(json::Arena& arena, json::Value& object, std::string_view path,
                                   const MetadataOptions& options, Budget& budget);

// The same for all resources that are embedded in an object, with the types of their apiVersion and
// kind (upstream's objectmeta.CoerceWithOptions). Fails with kBadRequest, in the words of
// upstream's field error. `is_resource`: also for the value itself.
Result<void> canonicalize_embedded(json::Arena& arena, json::Value& value,
                                   const api::Structure& structure, bool is_resource,
                                   const MetadataOptions& options, Budget& budget);

}  // namespace proa::custom
