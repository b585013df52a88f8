#pragma once

#include <string>
#include <string_view>

// Texts as Go's fmt prints them, for messages that clients know by heart.

namespace proa::api {

// unicode.IsPrint, but for code points that Unicode has not assigned yet: those count as printable.
bool is_printable(char32_t code);
// %q: in double quotes, with escapes for what can't be printed.
std::string quoted(std::string_view text);
// %#U: "U+0007", "U+00E9 'é'".
std::string code_point_text(char32_t code);

}  // namespace proa::api
