#pragma once

#include "api/schema/schema.h"
#include "apiserver/access/admission/matching/criteria.h"
#include "json/value.h"

namespace proa::apiserver {

// What an object is after a JSON patch of a webhook or policy: a patch does not turn it into one of
// another kind. `before` is the object that was patched, as `matched`. Puts back what the patch
// removed of kind and apiVersion, except the kind of a custom object, which upstream knows by it
// alone. Returns the type to decode it as: another version of the kind is converted later. Fails
// with upstream's words, with kInvalid for a custom object of another kind.
Result<const api::Type*> settle_patched_kind(json::Document& patched, api::View before,
                                             const Matched& matched, const api::Schema& schema);

}  // namespace proa::apiserver
