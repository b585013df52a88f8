#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/values/value.h"

namespace proa::cel {

// The content of a string or bytes literal: without prefix and quotes, escapes resolved. Failures
// are kBadRequest with cel-go's words.
Result<std::string> unescape(std::string_view literal, bool bytes);

// The value of a number as the lexer found it: an int, a uint (12u) or a double. Failures as above.
Result<Value> read_number(std::string_view literal, bool negative);

}  // namespace proa::cel
