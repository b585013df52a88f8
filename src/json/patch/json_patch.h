#pragma once

#include "base/cost/budget.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::json {

struct JsonPatchOptions {
  // The limits of upstream's API server: the number of operations, and how many bytes of text
  // copies may add to a document, since each copy can double it.
  size_t max_operations = 10'000;
  size_t max_copied_bytes = size_t{3} << 20;
};

// Applies RFC 6902 operations in order, as upstream's library (evanphx/json-patch) does: negative
// indexes count from an array's end; a member that does not exist is null for replace, copy and
// test, and so is an absent value; only replace and test take the whole document. kBadRequest if
// the patch is not an array, kInvalid if it cannot be applied, kRequestEntityTooLarge beyond a
// limit. The budget pays for elements that move, for values that are copied, and for the document's
// memory. On failure the document may be partly changed: callers patch a copy.
Result<void> apply_json_patch(Document& document, const Value& patch, Budget& budget,
                              const JsonPatchOptions& options = {});

// Whether a patch failed because a value was not the one that it tests for.
bool is_failed_test(const Status& status);

}  // namespace proa::json
