#pragma once

#include <string>
#include <string_view>

namespace proa::kinds {

// The difference of two texts in lines, as go-difflib (and Python's difflib) prints it: "@@ -8,7
// +8,16 @@", three lines of context; empty if they are equal. Texts of more than
// kMaxDiffLines lines are not compared, since that may take quadratic time: the answer says so.
inline constexpr size_t kMaxDiffLines = 8000;
std::string unified_diff(std::string_view before, std::string_view after);

}  // namespace proa::kinds
