#include "base/strings.h"

#include <algorithm>
#include <charconv>

namespace proa {
namespace strings {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

template <typename Part>
std::string join(std::span<const Part> parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

template <typename Number>
std::optional<Number> parse(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace strings

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (const auto halves = split_once(text, separator)) {
    parts.push_back(halves->before);
    text = halves->after;
  }
  parts.push_back(text);
  return parts;
}

std::optional<Halves> split_once(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  return Halves{text.substr(0, at), text.substr(at + 1)};
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return strings::join(parts, separator);
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return strings::join(parts, separator);
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), strings::lower);
  return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return strings::lower(x) == strings::lower(y); });
}

std::optional<int64_t> parse_int(std::string_view text) { return strings::parse<int64_t>(text); }

std::optional<uint64_t> parse_uint(std::string_view text) { return strings::parse<uint64_t>(text); }

}  // namespace proa
