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
// What stands before and after the first separator; nullopt when there is none.
struct Halves {
  std::string_view before;
  std::string_view after;
};
std::optional<Halves> split_once(std::string_view text, char separator);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);

// Without spaces, tabs and line ends at both sides.
std::string_view trim(std::string_view text);

// ASCII only: other bytes stay as they are and compare as they are.
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

// Decimal, the whole text, no '+', no white space; nullopt also when it does not fit.
std::optional<int64_t> parse_int(std::string_view text);
std::optional<uint64_t> parse_uint(std::string_view text);

// Takes the same time wherever the texts differ (their lengths are not hidden): for secrets.
bool equals_in_constant_time(std::string_view a, std::string_view b);

}  // namespace proa
