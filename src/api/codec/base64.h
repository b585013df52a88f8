#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::api {

// Base64 as Go's StdEncoding reads it: line ends are skipped, and unused bits of the last character
// may have any value. Failures are kBadRequest, in Go's words.
Result<std::string> read_base64(std::string_view text);

}  // namespace proa::api
