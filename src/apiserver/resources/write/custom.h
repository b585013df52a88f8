#pragma once

#include <string>
#include <vector>

#include "api/codec/json/decode.h"
#include "api/validation/field_errors.h"
#include "apiserver/request/request.h"
#include "base/cost/budget.h"
#include "json/value.h"

// What a definition says about objects of its kind. All do nothing for built-in kinds.

namespace proa::apiserver {

// Drops what the schema does not know, and sets its defaults. `problems`: those of decoding;
// unknown fields are added. Fails with kBadRequest for problems if they are not allowed.
Result<void> settle_custom(const Request& request, json::Document& document,
                           api::FieldValidation validation, std::vector<std::string>& problems,
                           Budget& budget);
// Defaults alone: of what others have added since.
Result<void> default_custom(const Request& request, json::Document& document, Budget& budget);
// `old`: null for a new object. Warnings go to the request. The budget is one for this alone.
Result<void> validate_custom(const Request& request, const json::Value& object,
                             const json::Value* old, Budget budget, api::FieldErrors& errors);

}  // namespace proa::apiserver
