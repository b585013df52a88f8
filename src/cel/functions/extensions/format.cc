#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "cel/functions/tables.h"
#include "cel/syntax/format_precision.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"
#include "cel/values/limited_text.h"

namespace proa::cel {
namespace extension_format {

// A longer fraction than any double has; upstream's limit is memory.
constexpr int64_t kMostDigits = 1000;
constexpr int kDefaultDigits = 6;

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

// Writes values of clauses, one after the other. What it writes is limited.
class Formatter {
 public:
  explicit Formatter(Context& context) : context_(context), out_(kLongestText, &context) {}

  // These return false if the value is not written: failure() says why.

  bool literal(std::string_view text) { return out_.add(text); }

  // %s
  bool string(const Value& value) {
    switch (value.kind()) {
      case ValueKind::kList:
        return list(value);
      case ValueKind::kMap:
        return map(value);
      case ValueKind::kNull:
        return out_.add("null");
      case ValueKind::kType:
        return out_.add(runtime_name(*value.as_type()));
      case ValueKind::kInt:
      case ValueKind::kUint:
        return out_.add(digits(value, 10, false));
      case ValueKind::kBool:
        return out_.add(value.as_bool() ? "true" : "false");
      case ValueKind::kDouble:
      case ValueKind::kString:
      case ValueKind::kTimestamp:
      case ValueKind::kBytes:
      case ValueKind::kDuration:
        return out_.add(converted(value).text());
      default:
        return fail(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
            "types, durations, and timestamps, was given " +
            type_name(value));
    }
  }

  bool number(const Value& value, bool scientific_notation, std::optional<int> precision) {
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
      return fail(std::string(scientific_notation ? "scientific" : "fixed-point") +
                  " clause can only be used on doubles, was given " + type_name(value));
    }
    if (number == 0) number = 0;  // upstream's printer has no negative zero
    const int places = precision.value_or(kDefaultDigits);
    return out_.add(scientific_notation ? scientific(number, places) : grouped(number, places));
  }

  bool integer(const Value& value, char clause) {
    const bool whole = value.is(ValueKind::kInt) || value.is(ValueKind::kUint);
    switch (clause) {
      case 'd':
        if (whole) return out_.add(digits(value, 10, false));
        return fail("decimal clause can only be used on integers, was given " + type_name(value));
      case 'o':
        if (whole) return out_.add(digits(value, 8, false));
        return fail("octal clause can only be used on integers, was given " + type_name(value));
      case 'b':
        if (whole) return out_.add(digits(value, 2, false));
        if (value.is(ValueKind::kBool)) return out_.add(value.as_bool() ? "1" : "0");
        return fail("only integers and bools can be formatted as binary, was given " +
                    type_name(value));
      default:
        if (whole) return out_.add(digits(value, 16, clause == 'X'));
        if (value.is(ValueKind::kString) || value.is(ValueKind::kBytes)) {
          return out_.fits(value.text().size()) &&
                 out_.add(hexadecimal(value.text(), clause == 'X'));
        }
        return fail("only integers, byte buffers, and strings can be formatted as hex, was given " +
                    type_name(value));
    }
  }

  // Why a clause failed; empty: there is too much text.
  const std::string& failure() const { return failure_; }
  const std::string& text() const { return out_.text(); }

 private:
  bool fail(std::string why) {
    failure_ = std::move(why);
    return false;
  }

  // string(value), by the function of that name.
  Value converted(const Value& value) {
    const FunctionRow*& row = conversions_[static_cast<size_t>(value.kind())];
    if (row == nullptr) {
      const std::string wanted = "(" + print_type(type_of(value)) + ") -> string";
      for (const FunctionRow& each : conversion_rows()) {
        if (each.function == "string" && each.signature == wanted) row = &each;
      }
    }
    return row == nullptr ? value : row->implementation(context_, std::span(&value, 1));
  }

  // An element of a list or map, in quotes where it is a text.
  bool element(const Value& value) {
    switch (value.kind()) {
      case ValueKind::kString:
        return quoted(value);
      case ValueKind::kBytes:
        return out_.add("b") && quoted(value);
      case ValueKind::kTimestamp:
        return out_.add("timestamp(") && quoted(value) && out_.add(")");
      case ValueKind::kDuration:
        return out_.add("duration(") && quoted(value) && out_.add(")");
      case ValueKind::kDouble:
        return out_.add(plain_double(value.as_double()));
      case ValueKind::kInt:
      case ValueKind::kUint:
      case ValueKind::kBool:
      case ValueKind::kNull:
      case ValueKind::kType:
      case ValueKind::kList:
      case ValueKind::kMap:
        return string(value);
      default:
        return fail("no formatting function for " + type_name(value));
    }
  }

  bool quoted(const Value& value) {
    const std::string_view text = converted(value).text();
    return out_.fits(text.size()) && out_.add(api::quoted(text));
  }

  static std::string plain_double(double number) {
    if (std::isnan(number)) return "\"NaN\"";
    if (std::isinf(number)) return number > 0 ? "\"+Inf\"" : "\"-Inf\"";
    return fixed(number, kDefaultDigits);
  }

  bool list(const Value& value) {
    if (!out_.add("[")) return false;
    for (uint32_t i = 0; i < value.size(); ++i) {
      if (i > 0 && !out_.add(", ")) return false;
      if (!element(list_item(value, i))) return false;
    }
    return out_.add("]");
  }

  bool map(const Value& value) {
    if (!out_.add("{")) return false;
    std::vector<LimitedText::Entry> entries;
    for (uint32_t i = 0; i < value.size(); ++i) {
      const Value key = map_key(value, i);
      if (!key.is(ValueKind::kString) && !key.is(ValueKind::kBool) && !key.is(ValueKind::kInt) &&
          !key.is(ValueKind::kUint)) {
        return fail("no formatting function for map key of type " + type_name(key));
      }
      LimitedText::Entry entry{.begin = out_.size()};
      if (!element(key)) return false;
      entry.key_end = out_.size();
      if (!out_.add(":") || !element(map_value(value, i))) return false;
      entry.end = out_.size();
      entries.push_back(entry);
    }
    return out_.sort(entries, ", ") && out_.add("}");
  }

  Context& context_;
  LimitedText out_;
  std::string failure_;
  // By the kind of the value; null: not looked for yet.
  std::array<const FunctionRow*, static_cast<size_t>(ValueKind::kError) + 1> conversions_ = {};
};

// The error of what was not written.
Value failed(Context& context, const Formatter& formatter) {
  if (formatter.failure().empty()) return Value::error(kTooLong);
  return context.error("error during formatting: " + formatter.failure());
}

// One clause, behind its percent sign. Nullopt: it is written.
std::optional<Value> clause(Context& context, Formatter& formatter, std::string_view& text,
                            const Value& value) {
  std::optional<int64_t> stated;
  if (const std::optional<std::string> error = read_precision(text, stated)) {
    return context.error(*error);
  }
  if (stated && *stated > kMostDigits) {
    return context.error("could not parse formatting clause: the precision is more than " +
                         std::to_string(kMostDigits));
  }
  std::optional<int> precision;
  if (stated) precision = static_cast<int>(*stated);
  const char letter = text.front();
  text.remove_prefix(1);
  bool written = false;
  switch (letter) {
    case 's':
      written = formatter.string(value);
      break;
    case 'f':
      written = formatter.number(value, false, precision);
      break;
    case 'e':
      written = formatter.number(value, true, precision);
      break;
    case 'd':
    case 'o':
    case 'b':
    case 'x':
    case 'X':
      written = formatter.integer(value, letter);
      break;
    default:
      return context.error(
          std::string("could not parse formatting clause: unrecognized formatting clause \"") +
          letter + "\"");
  }
  if (written) return std::nullopt;
  return failed(context, formatter);
}

Value format(Context& context, std::span<const Value> args) {
  std::string_view rest = args[0].text();
  Formatter formatter(context);
  uint32_t next = 0;
  while (!rest.empty()) {
    const size_t size = std::min(rest.find('%'), rest.size());
    if (!formatter.literal(rest.substr(0, size))) return failed(context, formatter);
    rest.remove_prefix(size);
    if (rest.empty()) break;
    rest.remove_prefix(1);
    if (rest.starts_with('%')) {
      if (!formatter.literal("%")) return failed(context, formatter);
      rest.remove_prefix(1);
      continue;
    }
    if (next >= args[1].size()) {
      return context.error("index " + std::to_string(next) + " out of range");
    }
    if (rest.empty()) return context.error("unexpected end of string");
    if (const auto error = clause(context, formatter, rest, list_item(args[1], next++))) {
      return *error;
    }
  }
  return context.string(formatter.text());
}

constexpr FunctionRow kRows[] = {
    {"format", "string_format", "string.(list(dyn)) -> string", format, CallStyle::kVariadic},
};

}  // namespace extension_format

std::span<const FunctionRow> format_rows() { return extension_format::kRows; }

}  // namespace proa::cel
