#pragma once

#include <re2/re2.h>

#include <string>
#include <string_view>

namespace proa::cel {

RE2::Options regex_options();
// In the words of Go's regexp.
std::string regex_error(const RE2& pattern, std::string_view text);

}  // namespace proa::cel
