#include "cel/values/print.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "api/validation/go_text.h"
#include "cel/values/collections.h"
#include "cel/values/time.h"

namespace proa::cel {
namespace print_values {

constexpr char kHex[] = "0123456789abcdef";

std::string hex(std::string_view data) {
  std::string out;
  for (const char c : data) {
    out += kHex[static_cast<uint8_t>(c) >> 4];
    out += kHex[c & 15];
  }
  return out;
}

std::string join(std::vector<std::string> parts, std::string_view open, std::string_view close) {
  std::string out(open);
  for (size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : ", ") + parts[i];
  return out += close;
}

std::string list(const Value& value) {
  std::vector<std::string> items;
  for (uint32_t i = 0; i < value.size(); ++i) items.push_back(print_value(list_item(value, i)));
  return join(std::move(items), "[", "]");
}

std::string map(const Value& value) {
  std::vector<std::string> entries;
  for (uint32_t i = 0; i < value.size(); ++i) {
    entries.push_back(print_value(map_key(value, i)) + ": " + print_value(map_value(value, i)));
  }
  std::sort(entries.begin(), entries.end());
  return join(std::move(entries), "{", "}");
}

}  // namespace print_values

std::string print_double(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), number, std::chars_format::scientific);
  const std::string_view scientific(text, static_cast<size_t>(end.ptr - text));
  const size_t mark = scientific.find('e');
  int exponent = 0;
  const char* digits = scientific.data() + mark + (scientific[mark + 1] == '+' ? 2 : 1);
  std::from_chars(digits, end.ptr, exponent);
  // Go prints the shortest digits with an exponent from a million on, and below 1e-4.
  if (exponent < -4 || exponent >= 6) return std::string(scientific);
  return print_plain_double(number);
}

std::string print_plain_double(double number) {
  char text[512];
  const auto end = std::to_chars(text, text + sizeof(text), number, std::chars_format::fixed);
  return {text, static_cast<size_t>(end.ptr - text)};
}

std::string print_plain(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString:
    case ValueKind::kError:
      return std::string(value.text());
    case ValueKind::kUint:
      return std::to_string(value.as_uint());
    case ValueKind::kDouble:
      return print_double(value.as_double());
    default:
      return print_value(value);
  }
}

std::string print_value(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBool:
      return value.as_bool() ? "true" : "false";
    case ValueKind::kInt:
      return std::to_string(value.as_int());
    case ValueKind::kUint:
      return std::to_string(value.as_uint()) + "u";
    case ValueKind::kDouble:
      return "double(" + print_double(value.as_double()) + ")";
    case ValueKind::kString:
      return api::quoted(value.text());
    case ValueKind::kBytes:
      return "bytes(" + print_values::hex(value.text()) + ")";
    case ValueKind::kDuration:
      return "duration(" + std::to_string(value.nanoseconds()) + ")";
    case ValueKind::kTimestamp:
      return "timestamp(" + print_timestamp(value) + ")";
    case ValueKind::kList:
      return print_values::list(value);
    case ValueKind::kMap:
      return print_values::map(value);
    case ValueKind::kType:
      return "type(" + std::string(runtime_name(*value.as_type())) + ")";
    case ValueKind::kOptional:
      return value.as_optional() == nullptr ? "optional.none"
                                            : "optional(" + print_value(*value.as_optional()) + ")";
    case ValueKind::kOpaque:
      return std::string(value.as_opaque()->type().name) + "(" + value.as_opaque()->print() + ")";
    case ValueKind::kError:
      return "error(" + std::string(value.text()) + ")";
  }
  return {};
}

}  // namespace proa::cel
