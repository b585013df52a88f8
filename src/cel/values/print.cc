#include "cel/values/print.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "api/validation/go_text.h"
#include "cel/values/collections.h"
#include "cel/values/limited_text.h"
#include "cel/values/structure.h"
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

// Upstream's messages have no limit; but nobody reads a longer one.
constexpr size_t kLongest = size_t{1} << 20;

bool print(const Value& value, LimitedText& out);

bool list(const Value& value, LimitedText& out) {
  out.add("[");
  for (uint32_t i = 0; i < value.size() && !out.full(); ++i) {
    if (i > 0) out.add(", ");
    print(list_item(value, i), out);
  }
  return out.add("]");
}

bool map(const Value& value, LimitedText& out) {
  out.add("{");
  std::vector<LimitedText::Entry> entries;
  for (uint32_t i = 0; i < value.size() && !out.full(); ++i) {
    const size_t begin = out.size();
    print(map_key(value, i), out);
    out.add(": ");
    print(map_value(value, i), out);
    entries.push_back({.begin = begin, .key_end = out.size(), .end = out.size()});
  }
  out.sort(entries, ", ");
  return out.add("}");
}

bool structure(const Structure& value, LimitedText& out) {
  out.add(value.type().name);
  out.add("(");
  for (const Structure::Field& field : value.fields()) {
    if (out.full()) break;
    if (&field != value.fields().data()) out.add(", ");
    out.add(field.name);
    out.add(": ");
    print(field.value, out);
  }
  return out.add(")");
}

std::string scalar(const Value& value) {
  switch (value.kind()) {
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
      return "bytes(" + hex(value.text()) + ")";
    case ValueKind::kDuration:
      return "duration(" + std::to_string(value.nanoseconds()) + ")";
    case ValueKind::kTimestamp:
      return "timestamp(" + print_timestamp(value) + ")";
    case ValueKind::kType:
      return "type(" + std::string(runtime_name(*value.as_type())) + ")";
    case ValueKind::kOpaque:
      return std::string(value.as_opaque()->type().name) + "(" + value.as_opaque()->print() + ")";
    case ValueKind::kError:
      return "error(" + std::string(value.text()) + ")";
    default:
      return "null";
  }
}

// False if the text is full.
bool print(const Value& value, LimitedText& out) {
  switch (value.kind()) {
    case ValueKind::kString:
    case ValueKind::kBytes:
      return out.fits(value.text().size()) && out.add(scalar(value));
    case ValueKind::kList:
      return list(value, out);
    case ValueKind::kMap:
      return map(value, out);
    case ValueKind::kOptional:
      if (value.as_optional() == nullptr) return out.add("optional.none");
      return out.add("optional(") && print(*value.as_optional(), out) && out.add(")");
    case ValueKind::kOpaque:
      if (const Structure* made = as_structure(value)) return structure(*made, out);
      return out.add(scalar(value));
    default:
      return out.add(scalar(value));
  }
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
  LimitedText out(print_values::kLongest);
  return print_values::print(value, out) ? out.text() : out.text() + "...";
}

}  // namespace proa::cel
