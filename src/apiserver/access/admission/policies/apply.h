#pragma once

#include "apiserver/access/admission/matching/criteria.h"
#include "json/value.h"

namespace proa::apiserver {

// Merges the configuration of an ApplyConfiguration into an object of the version that matched:
// upstream's ApplyStructuredMergeDiff(). Atomic lists, maps and structs cannot be stated, since
// what the configuration does not state of them would be lost. kInvalid, in upstream's words, if it
// cannot be merged. The result is in the arena.
Result<json::Value> apply_configuration(const json::Value& live, const json::Value& configuration,
                                        const Matched& matched, json::Arena& arena);

}  // namespace proa::apiserver
