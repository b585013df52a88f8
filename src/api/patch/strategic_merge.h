#pragma once

#include "api/schema/model.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// Applies a strategic merge patch: as RFC 7386, but lists are merged by keys where the type says
// so, and directives in the patch ($patch, $retainKeys, $setElementOrder/LIST,
// $deleteFromPrimitiveList/LIST) say more. kBadRequest when the patch is malformed, kInvalid when
// it can't be applied, kRequestEntityTooLarge when that would take too long; the document may be
// changed in part then, so callers patch a copy. Nothing of the patch is borrowed.
// REQUIRES: the document's root is an object.
Result<void> apply_strategic_merge(json::Document& document, const json::Value& patch,
                                   const Type& type);

}  // namespace proa::api
