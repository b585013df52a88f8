#pragma once

#include "base/result.h"
#include "json/value.h"

namespace proa::json {

struct JsonPatchOptions {
  // The limits of upstream's API server: operations in a patch, and how much copies may add to a
  // document (in bytes of its text), since each copy can double it.
  size_t max_operations = 10'000;
  size_t max_copied_bytes = size_t{3} << 20;
};

// Applies RFC 6902 operations to a document, in their order. As upstream's library
// (evanphx/json-patch) does it, negative indexes count from an array's end. kBadRequest when the
// patch is malformed, kInvalid when it can't be applied, kRequestEntityTooLarge when it is beyond a
// limit; the document may be changed in part then, so callers patch a copy.
Result<void> apply_json_patch(Document& document, const Value& patch,
                              const JsonPatchOptions& options = {});

}  // namespace proa::json
