#pragma once

#include <span>
#include <string>
#include <string_view>

// Texts as Go's fmt prints them, for messages that clients match on.

namespace proa::api {

// unicode.IsPrint, except that unassigned code points count as printable.
bool is_printable(char32_t code);
// %q: in double quotes, with escapes for unprintable characters.
std::string quoted(std::string_view text);
// %#U: "U+0007", "U+00E9 'é'".
std::string code_point_text(char32_t code);
// Several errors as one, as upstream's Aggregate: one alone as it is, more in brackets, each once.
std::string aggregate_text(std::span<const std::string> errors);

}  // namespace proa::api
