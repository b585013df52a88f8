#include "cel/functions/standard/numbers.h"

#include <charconv>
#include <limits>

#include "base/strings.h"

namespace proa::cel {

std::optional<double> parse_double(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const double sign = negative ? -1 : 1;
  if (equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity")) {
    return sign * std::numeric_limits<double>::infinity();
  }
  if (equals_ignoring_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return std::nullopt;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) {
    // Go wants an exponent of two there.
    if (text.find_first_of("pP") == std::string_view::npos) return std::nullopt;
    text.remove_prefix(2);
  }
  double number = 0;
  const char* end = text.data() + text.size();
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto result = std::from_chars(text.data(), end, number, format);
  if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
    // Too small becomes zero, too large fails.
    number = std::strtod(std::string(text).c_str(), nullptr);
    if (number > 1) return std::nullopt;
    return sign * number;
  }
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return sign * number;
}

double seconds_of(int64_t nanoseconds) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t whole = nanoseconds / kSecond;
  return static_cast<double>(whole) + static_cast<double>(nanoseconds % kSecond) / 1e9;
}

}  // namespace proa::cel
