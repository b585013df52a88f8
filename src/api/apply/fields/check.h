#pragma once

#include <string>

#include "api/apply/fields/place.h"
#include "json/value.h"

namespace proa::api {

enum class Duplicates : uint8_t { kAllowed, kRejected };

// Whether a value is of its type, as far as server-side apply depends on it (upstream's
// TypedValue.Validate): what is wrong, in upstream's words, all errors up to a limit; empty if
// nothing is.
std::string check_typed(const json::Value& value, Place place, Duplicates duplicates);

}  // namespace proa::api
