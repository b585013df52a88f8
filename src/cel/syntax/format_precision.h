#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proa::cel {

// Reads the precision of a clause of string.format(), such as that of "%.2f", and removes it from
// `text`, which begins behind the percent sign. What is wrong with it in upstream's words; nullopt:
// nothing. `precision` stays as it is where there is none.
std::optional<std::string> read_precision(std::string_view& text,
                                          std::optional<int64_t>& precision);

}  // namespace proa::cel
