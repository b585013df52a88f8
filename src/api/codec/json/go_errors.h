#pragma once

#include <optional>
#include <string_view>

#include "api/schema/model.h"
#include "base/status.h"

namespace proa::api {

// The error that Go's decoder reports for a text that from_json() rejects: of the values of a wrong
// kind, the first in the order of the text, with its own notation of numbers; but malformed values
// of types with a notation of their own (quantities, times) come before them, as there. Nullopt if
// it finds none. REQUIRES: it is JSON, as json::parse() accepts it.
std::optional<Status> find_decode_error(std::string_view text, const Type& type);

}  // namespace proa::api
