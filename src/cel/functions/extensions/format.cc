#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace extension_format {

// A longer fraction than any double has; upstream's limit is memory.
constexpr int64_t kMostDigits = 1000;
constexpr int kDefaultDigits = 6;

// A text, or why there is none.
struct Text {
  std::string text;
  bool failed = false;
};
Text failure(std::string text) { return {.text = std::move(text), .failed = true}; }

std::string type_name(const Value& value) { return std::string(runtime_name(type_of(value))); }

std::string hexadecimal(std::string_view data, bool upper) {
  const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string out;
  for (const char c : data) {
    out += digits[static_cast<uint8_t>(c) >> 4];
    out += digits[c & 15];
  }
  return out;
}

std::string digits(const Value& number, int base, bool upper) {
  char buffer[80];
  const auto end = number.is(ValueKind::kInt)
                       ? std::to_chars(buffer, buffer + sizeof(buffer), number.as_int(), base)
                       : std::to_chars(buffer, buffer + sizeof(buffer), number.as_uint(), base);
  std::string out(buffer, end.ptr);
  if (upper)
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
  return out;
}

std::string fixed(double number, int precision) {
  std::vector<char> buffer(400 + static_cast<size_t>(precision));
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                 std::chars_format::fixed, precision);
  return {buffer.data(), end.ptr};
}

// What is not finite, as the locale of upstream prints it.
std::optional<std::string> special(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "∞" : "-∞";
  return std::nullopt;
}

std::string grouped(double number, int precision) {
  if (const std::optional<std::string> text = special(number)) return *text;
  std::string out = fixed(number, precision);
  const size_t start = out.starts_with('-') ? 1 : 0;
  size_t end = std::min(out.find('.'), out.size());
  while (end > start + 3) {
    end -= 3;
    out.insert(end, ",");
  }
  return out;
}

std::string scientific(double number, int precision) {
  if (const std::optional<std::string> text = special(number)) {
    // Upstream's printer fills up to six characters.
    const size_t width = std::isnan(number) ? 3 : (number > 0 ? 1 : 2);
    return std::string(6 - width, ' ') + *text;
  }
  std::vector<char> buffer(64 + static_cast<size_t>(precision));
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                 std::chars_format::scientific, precision);
  const std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  const size_t mark = text.find('e');
  std::string out(text.substr(0, mark));
  out += "×10";
  constexpr std::string_view kSuperscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  for (const char c : text.substr(mark + 1)) {
    if (c == '-') out += "⁻";
    if (c >= '0' && c <= '9') out += kSuperscripts[c - '0'];
  }
  return out;
}

class Formatter {
 public:
  explicit Formatter(Context& context) : context_(context) {}

  // %s
  Text string(const Value& value) {
    switch (value.kind()) {
      case ValueKind::kList:
        return list(value);
      case ValueKind::kMap:
        return map(value);
      case ValueKind::kNull:
        return {.text = "null"};
      case ValueKind::kType:
        return {.text = std::string(runtime_name(*value.as_type()))};
      case ValueKind::kInt:
      case ValueKind::kUint:
      case ValueKind::kDouble:
      case ValueKind::kBool:
      case ValueKind::kString:
      case ValueKind::kTimestamp:
      case ValueKind::kBytes:
      case ValueKind::kDuration:
        return {.text = std::string(converted(value).text())};
      default:
        return failure(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
            "types, durations, and timestamps, was given " +
            type_name(value));
    }
  }

  Text number(const Value& value, bool scientific_notation, std::optional<int> precision) {
    double number = 0;
    if (value.is(ValueKind::kDouble)) {
      number = value.as_double();
    } else if (value.is(ValueKind::kString) && value.text() == "NaN") {
      number = NAN;
    } else if (value.is(ValueKind::kString) && value.text() == "Infinity") {
      number = INFINITY;
    } else if (value.is(ValueKind::kString) && value.text() == "-Infinity") {
      number = -INFINITY;
    } else {
      return failure(std::string(scientific_notation ? "scientific" : "fixed-point") +
                     " clause can only be used on doubles, was given " + type_name(value));
    }
    if (number == 0) number = 0;  // upstream's printer has no negative zero
    const int places = precision.value_or(kDefaultDigits);
    return {.text = scientific_notation ? scientific(number, places) : grouped(number, places)};
  }

  Text integer(const Value& value, char clause) {
    const bool whole = value.is(ValueKind::kInt) || value.is(ValueKind::kUint);
    switch (clause) {
      case 'd':
        if (whole) return {.text = digits(value, 10, false)};
        return failure("decimal clause can only be used on integers, was given " +
                       type_name(value));
      case 'o':
        if (whole) return {.text = digits(value, 8, false)};
        return failure("octal clause can only be used on integers, was given " + type_name(value));
      case 'b':
        if (whole) return {.text = digits(value, 2, false)};
        if (value.is(ValueKind::kBool)) return {.text = value.as_bool() ? "1" : "0"};
        return failure("only integers and bools can be formatted as binary, was given " +
                       type_name(value));
      default:
        if (whole) return {.text = digits(value, 16, clause == 'X')};
        if (value.is(ValueKind::kString) || value.is(ValueKind::kBytes)) {
          return {.text = hexadecimal(value.text(), clause == 'X')};
        }
        return failure(
            "only integers, byte buffers, and strings can be formatted as hex, was given " +
            type_name(value));
    }
  }

 private:
  // string(value), by the function of that name.
  Value converted(const Value& value) {
    for (const FunctionRow& row : conversion_rows()) {
      const std::string wanted = "(" + print_type(type_of(value)) + ") -> string";
      if (row.function == "string" && row.signature == wanted) {
        return row.implementation(context_, std::span(&value, 1));
      }
    }
    return value;
  }

  // An element of a list or map, in quotes where it is a text.
  Text element(const Value& value) {
    const std::string text = value.is(ValueKind::kString) || value.is(ValueKind::kBytes)
                                 ? std::string(converted(value).text())
                                 : std::string();
    switch (value.kind()) {
      case ValueKind::kString:
        return {.text = api::quoted(text)};
      case ValueKind::kBytes:
        return {.text = "b" + api::quoted(text)};
      case ValueKind::kTimestamp:
        return {.text = "timestamp(" + api::quoted(converted(value).text()) + ")"};
      case ValueKind::kDuration:
        return {.text = "duration(" + api::quoted(converted(value).text()) + ")"};
      case ValueKind::kDouble:
        return {.text = plain_double(value.as_double())};
      case ValueKind::kInt:
      case ValueKind::kUint:
      case ValueKind::kBool:
      case ValueKind::kNull:
      case ValueKind::kType:
      case ValueKind::kList:
      case ValueKind::kMap:
        return string(value);
      default:
        return failure("no formatting function for " + type_name(value));
    }
  }

  static std::string plain_double(double number) {
    if (std::isnan(number)) return "\"NaN\"";
    if (std::isinf(number)) return number > 0 ? "\"+Inf\"" : "\"-Inf\"";
    return fixed(number, kDefaultDigits);
  }

  Text list(const Value& value) {
    std::string out = "[";
    for (uint32_t i = 0; i < value.size(); ++i) {
      Text item = element(list_item(value, i));
      if (item.failed) return item;
      out += (i == 0 ? "" : ", ") + item.text;
    }
    return {.text = out + "]"};
  }

  Text map(const Value& value) {
    std::vector<std::pair<std::string, std::string>> entries;
    for (uint32_t i = 0; i < value.size(); ++i) {
      const Value key = map_key(value, i);
      if (!key.is(ValueKind::kString) && !key.is(ValueKind::kBool) && !key.is(ValueKind::kInt) &&
          !key.is(ValueKind::kUint)) {
        return failure("no formatting function for map key of type " + type_name(key));
      }
      Text item = element(map_value(value, i));
      if (item.failed) return item;
      entries.emplace_back(element(key).text, item.text);
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string out = "{";
    for (const auto& [key, text] : entries) out += (out.size() == 1 ? "" : ", ") + key + ":" + text;
    return {.text = out + "}"};
  }

  Context& context_;
};

// The number behind a point; `text` starts at the point, and what was read is removed.
std::optional<std::string> read_precision(std::string_view& text, std::optional<int>& precision) {
  if (!text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const size_t end = text.find_first_not_of("0123456789");
  if (end == std::string_view::npos) return "could not find end of precision specifier";
  const std::optional<int64_t> number = parse_int(text.substr(0, end));
  if (!number || *number > kMostDigits) {
    return "error while converting precision to integer: strconv.Atoi: parsing " +
           api::quoted(text.substr(0, end)) +
           (end == 0 ? ": invalid syntax" : ": value out of range");
  }
  precision = static_cast<int>(*number);
  text.remove_prefix(end);
  return std::nullopt;
}

// One clause, behind its percent sign.
Text clause(Formatter& formatter, std::string_view& text, const Value& value) {
  std::optional<int> precision;
  if (const std::optional<std::string> error = read_precision(text, precision)) {
    return failure("could not parse formatting clause: error while parsing precision: " + *error);
  }
  const char letter = text.front();
  text.remove_prefix(1);
  Text result;
  switch (letter) {
    case 's':
      result = formatter.string(value);
      break;
    case 'f':
      result = formatter.number(value, false, precision);
      break;
    case 'e':
      result = formatter.number(value, true, precision);
      break;
    case 'd':
    case 'o':
    case 'b':
    case 'x':
    case 'X':
      result = formatter.integer(value, letter);
      break;
    default:
      return failure(std::string("could not parse formatting clause: unrecognized formatting "
                                 "clause \"") +
                     letter + "\"");
  }
  if (result.failed) result.text = "error during formatting: " + result.text;
  return result;
}

Value format(Context& context, std::span<const Value> args) {
  std::string_view rest = args[0].text();
  Formatter formatter(context);
  std::string out;
  uint32_t next = 0;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '%' || rest.starts_with('%')) {
      out += c;
      if (c == '%') rest.remove_prefix(1);
      continue;
    }
    if (next >= args[1].size()) {
      return context.error("index " + std::to_string(next) + " out of range");
    }
    if (rest.empty()) return context.error("unexpected end of string");
    const Text text = clause(formatter, rest, list_item(args[1], next++));
    if (text.failed) return context.error(text.text);
    out += text.text;
  }
  return context.string(out);
}

constexpr FunctionRow kRows[] = {
    {"format", "string_format", "string.(list(dyn)) -> string", format, CallStyle::kVariadic},
};

}  // namespace extension_format

std::span<const FunctionRow> format_rows() { return extension_format::kRows; }

}  // namespace proa::cel
