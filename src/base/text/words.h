#pragma once

#include <string_view>
#include <vector>

namespace proa {

// Views into `text`: what stands between white space; none of them is empty.
std::vector<std::string_view> words(std::string_view text);

}  // namespace proa
