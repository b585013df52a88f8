#include "cel/syntax/literal.h"

#include <charconv>
#include <cstdlib>

#include "base/utf8.h"

namespace proa::cel {
namespace literal {

struct Simple {
  char letter;
  char value;
};
constexpr Simple kSimple[] = {{'a', '\a'}, {'b', '\b'},  {'f', '\f'}, {'n', '\n'},
                              {'r', '\r'}, {'t', '\t'},  {'v', '\v'}, {'\\', '\\'},
                              {'"', '"'},  {'\'', '\''}, {'`', '`'},  {'?', '?'}};

uint32_t digits(std::string_view text, uint32_t base) {
  uint32_t value = 0;
  for (const char c : text) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * base + static_cast<uint32_t>(digit);
  }
  return value;
}

size_t escape_digits(char letter) {
  switch (letter) {
    case 'x':
    case 'X':
      return 2;
    case 'u':
      return 4;
    case 'U':
      return 8;
    default:
      return 0;
  }
}

bool is_code_point(uint32_t code) { return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF); }

// `text` starts behind the backslash; what was read is removed. The lexer has seen to it that the
// escape is complete.
Result<void> escape(std::string_view& text, bool bytes, std::string& out) {
  const char letter = text.front();
  for (const Simple& simple : kSimple) {
    if (simple.letter != letter) continue;
    out += simple.value;
    text.remove_prefix(1);
    return {};
  }
  uint32_t code = 0;
  if (const size_t count = escape_digits(letter); count > 0) {
    if (bytes && count > 2) return Status(Reason::kBadRequest, "unable to unescape string");
    code = digits(text.substr(1, count), 16);
    text.remove_prefix(1 + count);
  } else {
    code = digits(text.substr(0, 3), 8);
    text.remove_prefix(3);
  }
  if (bytes) {
    out += static_cast<char>(code);
    return {};
  }
  if (!is_code_point(code)) return Status(Reason::kBadRequest, "invalid unicode code point");
  append_utf8(out, code);
  return {};
}

// All line ends become \n.
std::string normalized(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      out += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace literal

Result<std::string> unescape(std::string_view text, bool bytes) {
  bool raw = false;
  while (text.front() != '"' && text.front() != '\'') {
    raw = raw || text.front() == 'r' || text.front() == 'R';
    text.remove_prefix(1);
  }
  const std::string triple(3, text.front());
  const size_t quotes = text.size() >= 6 && text.starts_with(triple) ? 3 : 1;
  const std::string content = literal::normalized(text.substr(quotes, text.size() - 2 * quotes));
  if (raw || content.find('\\') == std::string::npos) return content;
  std::string out;
  for (std::string_view rest = content; !rest.empty();) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\\') {
      TRY(literal::escape(rest, bytes, out));
    } else {
      out += c;
    }
  }
  return out;
}

Result<Value> read_number(std::string_view text, bool negative) {
  const bool hexadecimal = text.starts_with("0x");
  if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    // What is too small is zero; what is too large is refused.
    if (result.ec == std::errc::result_out_of_range) {
      value = std::strtod(std::string(text).c_str(), nullptr);
      if (value > 1) return Status(Reason::kBadRequest, "invalid double literal");
    }
    return Value::number(negative ? -value : value);
  }
  const bool is_unsigned = text.ends_with('u') || text.ends_with('U');
  if (is_unsigned) text.remove_suffix(1);
  if (hexadecimal) text.remove_prefix(2);
  uint64_t value = 0;
  const bool fits =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10).ec ==
      std::errc();
  if (is_unsigned) {
    if (!fits) return Status(Reason::kBadRequest, "invalid uint literal");
    return Value::unsigned_integer(value);
  }
  const uint64_t limit = (uint64_t{1} << 63) - (negative ? 0 : 1);
  if (!fits || value > limit) return Status(Reason::kBadRequest, "invalid int literal");
  return Value::integer(static_cast<int64_t>(negative ? 0 - value : value));
}

}  // namespace proa::cel
