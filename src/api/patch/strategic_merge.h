#pragma once

#include "api/schema/model.h"
#include "base/cost/budget.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// Applies a strategic merge patch: as RFC 7386, but lists are merged by keys if the type says so,
// and directives in the patch ($patch, $retainKeys, $setElementOrder/LIST,
// $deleteFromPrimitiveList/LIST) refine that. kBadRequest if the patch is malformed, kInvalid if it
// cannot be applied, kRequestEntityTooLarge if that takes more than the budget has. On failure the
// document may be partly changed: callers patch a copy. Nothing of the patch is borrowed. REQUIRES:
// the document's root is an object.
Result<void> apply_strategic_merge(json::Document& document, const json::Value& patch,
                                   const Type& type, Budget& budget);

}  // namespace proa::api
