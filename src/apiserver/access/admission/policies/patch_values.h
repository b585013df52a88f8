#pragma once

#include "base/cost/budget.h"
#include "base/result.h"
#include "cel/values/value.h"
#include "json/value.h"

// What expressions of mutating policies evaluate to, as documents. Failures are in upstream's
// words.

namespace proa::apiserver {

// A list of JSONPatch{...} as a JSON patch. The budget limits the result: values can share parts,
// of which a document has copies.
Result<json::Value> json_patch_of(const cel::Value& list, json::Arena& arena, Budget& budget);

// An Object{...} as a document without apiVersion and kind.
Result<json::Value> configuration_of(const cel::Value& object, json::Arena& arena, Budget& budget);

}  // namespace proa::apiserver
