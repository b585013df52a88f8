#pragma once

#include "api/apply/fields/place.h"
#include "json/value.h"

namespace proa::api {

// Merges an applied configuration into a live value (upstream's TypedValue.Merge): nothing is
// removed, and where both state a leaf, the configuration's counts. Items of granular lists keep
// the live order as far as the configuration's order allows; that wins. Fields are in no certain
// order. The result is a deep copy in the arena. REQUIRES: check_typed() found nothing wrong with
// either; only `live` may have duplicates.
json::Value merge_fields(const json::Value& live, const json::Value& applied, Place place,
                         json::Arena& arena);

}  // namespace proa::api
