#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "base/utf8.h"
#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"
#include "cel/values/limited_text.h"
#include "cel/values/print.h"
#include "cel/values/text.h"

namespace proa::cel {
namespace extension_strings {

std::u32string code_points(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const Utf8 next = decode_utf8(text);
    out += next.code;
    text.remove_prefix(next.size);
  }
  return out;
}

std::string encoded(std::u32string_view text) {
  std::string out;
  for (const char32_t code : text) append_utf8(out, code);
  return out;
}

size_t first_size(std::string_view text) { return text.empty() ? 0 : decode_utf8(text).size; }

Value out_of_range(Context& context, int64_t index) {
  return context.error("index out of range: " + std::to_string(index));
}

Value char_at(Context& context, std::span<const Value> args) {
  const std::string_view text = args[0].text();
  const int64_t index = args[1].as_int();
  const size_t start = index < 0 ? std::string_view::npos : position_of_code_point(text, index);
  if (start == std::string_view::npos) return out_of_range(context, index);
  const std::string_view rest = text.substr(start);
  return context.string(encoded(code_points(rest.substr(0, first_size(rest)))));
}

Value index_of_from(Context& context, std::span<const Value> args, int64_t offset) {
  const std::string_view part = args[1].text();
  if (part.empty()) return Value::integer(offset);
  if (offset < 0) return out_of_range(context, offset);
  const size_t start = position_of_code_point(args[0].text(), offset);
  if (start == std::string_view::npos) return Value::integer(-1);
  const std::string_view rest = args[0].text().substr(start);
  const size_t found = find_text(rest, part);
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::integer(offset + code_point_count(rest.substr(0, found)));
}
Value index_of(Context& context, std::span<const Value> args) {
  return index_of_from(context, args, 0);
}
Value index_of_offset(Context& context, std::span<const Value> args) {
  return index_of_from(context, args, args[2].as_int());
}

Value last_index_of_offset(Context& context, std::span<const Value> args) {
  const int64_t offset = args[2].as_int();
  const std::string_view text = args[0].text();
  const std::string_view part = args[1].text();
  if (part.empty()) return Value::integer(offset);
  if (offset < 0) return out_of_range(context, offset);
  const size_t latest = position_of_code_point(text, offset);
  if (latest >= text.size()) return Value::integer(-1);
  const size_t found = find_last_text(text.substr(0, latest + part.size()), part);
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::integer(code_point_count(text.substr(0, found)));
}
Value last_index_of(Context& context, std::span<const Value> args) {
  const int64_t size = code_point_count(args[0].text());
  if (args[1].text().empty()) return Value::integer(size);
  if (args[0].text().size() < args[1].text().size()) return Value::integer(-1);
  const Value all[] = {args[0], args[1], Value::integer(size - 1)};
  return last_index_of_offset(context, all);
}

Value lower_ascii(Context& context, std::span<const Value> args) {
  return context.string(to_lower(args[0].text()));
}
Value upper_ascii(Context& context, std::span<const Value> args) {
  std::string text(args[0].text());
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return context.string(text);
}

// Go's strings.Replace: an empty text is found before every character and at the end.
// Nullopt if the result is too long.
std::optional<std::string> replaced(std::string_view text, std::string_view from,
                                    std::string_view to, int64_t limit) {
  std::string out;
  bool first = true;
  while (limit != 0) {
    size_t found = from.empty() && !first ? first_size(text) : find_text(text, from);
    if (found == std::string_view::npos || (from.empty() && !first && text.empty())) break;
    out += text.substr(0, found);
    out += to;
    if (out.size() > kLongestText) return std::nullopt;
    text.remove_prefix(found + from.size());
    first = false;
    --limit;
  }
  return out += text;
}
Value replace_limited(Context& context, std::span<const Value> args, int64_t limit) {
  const std::optional<std::string> text =
      replaced(args[0].text(), args[1].text(), args[2].text(), limit);
  return text ? context.string(*text) : Value::error(kTooLong);
}
Value replace(Context& context, std::span<const Value> args) {
  return replace_limited(context, args, -1);
}
Value replace_some(Context& context, std::span<const Value> args) {
  return replace_limited(context, args, args[3].as_int());
}

Value split_some(Context& context, std::string_view text, std::string_view by, int64_t limit) {
  std::vector<Value> parts;
  if (limit == 0) return make_list(context.arena(), parts);
  if (by.empty() && text.empty()) return make_list(context.arena(), parts);
  while (limit < 0 || static_cast<int64_t>(parts.size()) + 1 < limit) {
    const size_t end = by.empty() ? first_size(text) : find_text(text, by);
    if (end == std::string_view::npos || (by.empty() && end == text.size())) break;
    parts.push_back(Value::string(text.substr(0, end)));
    text.remove_prefix(end + by.size());
  }
  parts.push_back(Value::string(text));
  return make_list(context.arena(), parts);
}
Value split(Context& context, std::span<const Value> args) {
  return split_some(context, args[0].text(), args[1].text(), -1);
}
Value split_limited(Context& context, std::span<const Value> args) {
  return split_some(context, args[0].text(), args[1].text(), args[2].as_int());
}

Value substring(Context& context, std::span<const Value> args) {
  const std::u32string text = code_points(args[0].text());
  const int64_t start = args[1].as_int();
  if (start < 0 || start > static_cast<int64_t>(text.size())) return out_of_range(context, start);
  return context.string(encoded(std::u32string_view(text).substr(static_cast<size_t>(start))));
}
Value substring_range(Context& context, std::span<const Value> args) {
  const std::u32string text = code_points(args[0].text());
  const auto size = static_cast<int64_t>(text.size());
  const int64_t start = args[1].as_int();
  const int64_t end = args[2].as_int();
  if (start > end) {
    return context.error("invalid substring range. start: " + std::to_string(start) +
                         ", end: " + std::to_string(end));
  }
  if (start < 0 || start > size) return out_of_range(context, start);
  if (end < 0 || end > size) return out_of_range(context, end);
  return context.string(encoded(std::u32string_view(text).substr(
      static_cast<size_t>(start), static_cast<size_t>(end - start))));
}

bool is_space(char32_t code) {
  return (code >= 9 && code <= 13) || code == ' ' || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}
Value trim_space(Context& context, std::span<const Value> args) {
  const std::u32string text = code_points(args[0].text());
  size_t start = 0;
  size_t end = text.size();
  while (start < end && is_space(text[start])) ++start;
  while (end > start && is_space(text[end - 1])) --end;
  return context.string(encoded(std::u32string_view(text).substr(start, end - start)));
}

Value joined(Context& context, const Value& list, std::string_view separator) {
  std::string out;
  for (uint32_t i = 0; i < list.size(); ++i) {
    const Value item = list_item(list, i);
    if (!item.is(ValueKind::kString)) {
      return context.error("join: invalid input: " + print_plain(item));
    }
    if (i > 0) out += separator;
    out += item.text();
    if (out.size() > kLongestText) return Value::error(kTooLong);
  }
  return context.string(out);
}
Value join(Context& context, std::span<const Value> args) { return joined(context, args[0], ""); }
Value join_with(Context& context, std::span<const Value> args) {
  return joined(context, args[0], args[1].text());
}

Value quote(Context& context, std::span<const Value> args) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string out = "\"";
  for (const char32_t code : code_points(args[0].text())) {
    const size_t found =
        code < 128 && code > 0 ? kEscaped.find(static_cast<char>(code)) : std::string_view::npos;
    if (found == std::string_view::npos) {
      append_utf8(out, code);
    } else {
      out += '\\';
      out += kLetters[found];
    }
  }
  return context.string(out + "\"");
}

constexpr FunctionRow kRows[] = {
    {"charAt", "string_char_at_int", "string.(int) -> string", char_at},
    {"indexOf", "string_index_of_string", "string.(string) -> int", index_of},
    {"indexOf", "string_index_of_string_int", "string.(string, int) -> int", index_of_offset},
    {"lastIndexOf", "string_last_index_of_string", "string.(string) -> int", last_index_of},
    {"lastIndexOf", "string_last_index_of_string_int", "string.(string, int) -> int",
     last_index_of_offset},
    {"lowerAscii", "string_lower_ascii", "string.() -> string", lower_ascii},
    {"replace", "string_replace_string_string", "string.(string, string) -> string", replace},
    {"replace", "string_replace_string_string_int", "string.(string, string, int) -> string",
     replace_some},
    {"split", "string_split_string", "string.(string) -> list(string)", split},
    {"split", "string_split_string_int", "string.(string, int) -> list(string)", split_limited},
    {"substring", "string_substring_int", "string.(int) -> string", substring},
    {"substring", "string_substring_int_int", "string.(int, int) -> string", substring_range},
    {"trim", "string_trim", "string.() -> string", trim_space},
    {"upperAscii", "string_upper_ascii", "string.() -> string", upper_ascii},
    {"join", "list_join", "list(string).() -> string", join},
    {"join", "list_join_string", "list(string).(string) -> string", join_with},
};

constexpr FunctionRow kQuoteRows[] = {
    {"strings.quote", "strings_quote", "(string) -> string", quote},
};

}  // namespace extension_strings

std::span<const FunctionRow> extension_string_rows() { return extension_strings::kRows; }
std::span<const FunctionRow> quote_rows() { return extension_strings::kQuoteRows; }

}  // namespace proa::cel
