#pragma once

#include <cstdint>
#include <string_view>

namespace proa::cel {

// size() of a string.
int64_t code_point_count(std::string_view text);

}  // namespace proa::cel
