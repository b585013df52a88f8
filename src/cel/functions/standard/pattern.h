#pragma once

#include <string>
#include <string_view>

namespace proa::cel {

// Why a pattern is not a regular expression, in the words of Go's regexp; empty: it is one.
std::string pattern_problem(std::string_view pattern);

}  // namespace proa::cel
