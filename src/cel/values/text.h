#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace proa::cel {

// size() of a string.
int64_t code_point_count(std::string_view text);
// Where the code point with this number begins: the end of the text if it has just as many, npos if
// it has fewer.
size_t position_of_code_point(std::string_view text, int64_t index);

// The first or the last occurrence, npos if there is none. In linear time, whatever the texts are.
size_t find_text(std::string_view text, std::string_view part);
size_t find_last_text(std::string_view text, std::string_view part);

}  // namespace proa::cel
