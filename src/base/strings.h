#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proa {

// Views into `text`: one more than there are separators, so "" gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
// The parts before and after the first separator; nullopt if there is none.
struct Halves {
  std::string_view before;
  std::string_view after;
};
std::optional<Halves> split_once(std::string_view text, char separator);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);

// Without leading and trailing spaces, tabs and line ends.
std::string_view trim(std::string_view text);

// ASCII only: other bytes are unchanged.
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

// Decimal, the whole text, no '+', no white space; nullopt also when it does not fit.
std::optional<int64_t> parse_int(std::string_view text);
std::optional<uint64_t> parse_uint(std::string_view text);

}  // namespace proa
