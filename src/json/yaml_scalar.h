#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace proa::json {

// Resolves a plain (unquoted) YAML scalar as go-yaml v2 does: null, a boolean, a number or a
// string. kBadRequest for infinities and NaN, which JSON lacks. The text is not copied.
Result<Value> resolve_yaml_scalar(std::string_view text);

// A resolved scalar as the key of a JSON object; kBadRequest for null.
Result<std::string> yaml_key_text(const Value& key);

}  // namespace proa::json
