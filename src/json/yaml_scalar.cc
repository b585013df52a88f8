#include "json/yaml_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace proa::json {
namespace yaml_scalar {

constexpr std::array<std::string_view, 11> kTrue{"y",    "Y",    "yes", "Yes", "YES", "true",
                                                 "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse{"n",     "N",     "no",  "No",  "NO", "false",
                                                  "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNotFinite{".nan",  ".NaN",  ".NAN",  ".inf",
                                                      ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                      "+.INF", "-.inf", "-.Inf", "-.INF"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// [-+]? ( .d+ | d+ (.d*)? ) ( [eE] [-+]? d+ )?
bool looks_like_float(std::string_view text) {
  const auto take_sign = [&] {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  };
  const auto take_digits = [&] {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    const auto count = static_cast<size_t>(end - text.begin());
    text.remove_prefix(count);
    return count;
  };
  take_sign();
  const size_t whole = take_digits();
  size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits();
  }
  if (whole + fraction == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    take_sign();
    if (take_digits() == 0) return false;
  }
  return text.empty();
}

// An integer in the notations of Go's ParseInt with base 0; beyond int64, the nearest double. "08"
// is not an integer: a leading zero means octal.
std::optional<Value> to_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char letter = text[1];
    base = letter == 'x' || letter == 'X' ? 16 : letter == 'b' || letter == 'B' ? 2 : 8;
    const bool prefixed = base != 8 || letter == 'o' || letter == 'O';
    text.remove_prefix(prefixed ? 2 : 1);
  }
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc() && magnitude <= static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0)) {
    return Value::integer(static_cast<int64_t>(negative ? -magnitude : magnitude));
  }
  double number = 0;
  for (const char c : text) {
    const int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    number = number * base + digit;
  }
  if (base == 10) number = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(number)) return std::nullopt;
  return Value::number(negative ? -number : number);
}

std::optional<Value> to_float(std::string_view text) {
  if (!looks_like_float(text)) return std::nullopt;
  const double number = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(number)) return std::nullopt;
  return Value::number(number);
}

}  // namespace yaml_scalar

Result<Value> resolve_yaml_scalar(std::string_view text) {
  namespace local = yaml_scalar;
  if (local::is_one_of(local::kNull, text)) return Value();
  if (local::is_one_of(local::kTrue, text)) return Value::boolean(true);
  if (local::is_one_of(local::kFalse, text)) return Value::boolean(false);
  if (local::is_one_of(local::kNotFinite, text)) {
    return Status(Reason::kBadRequest, fmt::format("{} cannot be represented in JSON", text));
  }
  const char first = text.front();
  if (first == '.') {
    if (auto number = local::to_float(text)) return std::move(*number);
  } else if (local::is_digit(first) || first == '-' || first == '+') {
    std::string plain(text);
    std::erase(plain, '_');
    if (auto number = local::to_integer(plain)) return std::move(*number);
    if (auto number = local::to_float(plain)) return std::move(*number);
  }
  return Value::borrowed(text);
}

Result<std::string> yaml_key_text(const Value& key) {
  switch (key.kind()) {
    case Kind::kString:
      return std::string(key.as_string());
    case Kind::kBool:
      return std::string(key.as_bool() ? "true" : "false");
    case Kind::kInt:
      return fmt::format("{}", key.as_int());
    case Kind::kDouble:
      // Upstream prints numeric keys with the precision of a float.
      return fmt::format("{}", static_cast<float>(key.as_double()));
    default:
      return Status(Reason::kBadRequest, "a key must be a string, a number or a boolean");
  }
}

}  // namespace proa::json
