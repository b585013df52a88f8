#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::api {

// Base64 as Go's StdEncoding reads it: line ends are skipped, and the bits that the last character
// has too many may be anything. Failures are kBadRequest, in Go's words.
Result<std::string> read_base64(std::string_view text);

}  // namespace proa::api
