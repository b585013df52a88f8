#include "json/print.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace proa::json {
namespace print_json {

// Bytes that must be escaped in a string, or that begin such a sequence.
constexpr std::array<bool, 256> kSpecial = [] {
  std::array<bool, 256> special{};
  for (size_t byte = 0; byte < special.size(); ++byte) {
    special[byte] = byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\' || byte == '<' ||
                    byte == '>' || byte == '&';
  }
  return special;
}();

void append_unicode_escape(std::string& out, char32_t code) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(code >> shift) & 15];
}

void append_special(std::string& out, std::string_view text, const Utf8& next) {
  switch (next.code) {
    case '"':
    case '\\':
      out += '\\';
      out += static_cast<char>(next.code);
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (next.code < 0x80 || next.code == 0x2028 || next.code == 0x2029 || !next.valid) {
    append_unicode_escape(out, next.code);
  } else {
    out += text.substr(0, next.size);
  }
}

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  out.append(buffer.data(), result.ptr);
}

// Prints a tree, compactly or indented. A bounded one stops soon after the limit: strings that
// exceed it by themselves are not begun.
template <bool kBounded = false>
class Printer {
 public:
  // `indent`: spaces per level; zero: compact. `end`: the length of `out` that it is bounded to.
  Printer(std::string& out, size_t indent, size_t end = SIZE_MAX)
      : out_(out), indent_(indent), end_(end) {}

  bool exceeded() const { return exceeded_ || out_.size() > end_; }

  void value(const Value& value) {
    if constexpr (kBounded) {
      if (exceeded()) return;
    }
    switch (value.kind()) {
      case Kind::kNull:
        out_ += "null";
        break;
      case Kind::kBool:
        out_ += value.as_bool() ? "true" : "false";
        break;
      case Kind::kInt:
        append_number(out_, value.as_int());
        break;
      case Kind::kDouble:
        print_double_to(out_, value.as_double());
        break;
      case Kind::kString:
        string(value.as_string());
        break;
      case Kind::kArray:
        array(value.items());
        break;
      case Kind::kObject:
        object(value.members());
        break;
    }
  }

 private:
  void string(std::string_view text) {
    if constexpr (kBounded) {
      exceeded_ = exceeded() || text.size() > end_ - out_.size();
      if (exceeded_) return;
    }
    print_string_to(out_, text);
  }

  void array(std::span<const Value> items) {
    out_ += '[';
    ++level_;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += ',';
      line();
      value(items[i]);
    }
    --level_;
    if (!items.empty()) line();
    out_ += ']';
  }

  void object(std::span<const Member> members) {
    out_ += '{';
    ++level_;
    for (size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out_ += ',';
      line();
      string(members[i].key);
      out_ += indent_ > 0 ? ": " : ":";
      value(members[i].value);
    }
    --level_;
    if (!members.empty()) line();
    out_ += '}';
  }

  void line() {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(level_ * indent_, ' ');
  }

  std::string& out_;
  const size_t indent_;
  const size_t end_;
  size_t level_ = 0;
  bool exceeded_ = false;
};

}  // namespace print_json

std::string print(const Value& value) {
  std::string out;
  print_to(out, value);
  return out;
}

void print_to(std::string& out, const Value& value) { print_json::Printer<>(out, 0).value(value); }

bool print_within(std::string& out, const Value& value, size_t limit) {
  print_json::Printer<true> printer(out, 0, out.size() + limit);
  printer.value(value);
  return !printer.exceeded();
}

std::string print_pretty(const Value& value, size_t indent) {
  std::string out;
  print_json::Printer<>(out, indent).value(value);
  return out;
}

void print_string_to(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    size_t plain = 0;
    while (plain < text.size() && !print_json::kSpecial[static_cast<unsigned char>(text[plain])])
      ++plain;
    out.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Utf8 next = decode_utf8(text);
    print_json::append_special(out, text, next);
    text.remove_prefix(next.size);
  }
  out += '"';
}

void print_double_to(std::string& out, double number) {
  CHECK(std::isfinite(number));
  // The shortest digits that round-trip, as d.ddde+xx; then formatted as Go does.
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                    std::chars_format::scientific);
  std::string_view text(buffer.data(), result.ptr);
  if (text.starts_with('-')) {
    out += '-';
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  int exponent = 0;
  const size_t sign = text[e + 1] == '+' ? 1 : 0;
  std::from_chars(text.data() + e + 1 + sign, text.data() + text.size(), exponent);
  std::string digits(1, text[0]);
  if (e > 1) digits += text.substr(2, e - 2);

  const auto length = static_cast<int>(digits.size());
  if (number == 0) {
    out += '0';
  } else if (exponent < -6 || exponent >= 21) {
    out += digits[0];
    if (length > 1) out.append(1, '.').append(digits, 1);
    out += exponent < 0 ? "e-" : "e+";
    print_json::append_number(out, std::abs(exponent));
  } else if (exponent < 0) {
    out += "0.";
    out.append(static_cast<size_t>(-exponent) - 1, '0').append(digits);
  } else if (exponent >= length - 1) {
    out.append(digits).append(static_cast<size_t>(exponent - length) + 1, '0');
  } else {
    const auto whole = static_cast<size_t>(exponent) + 1;
    out.append(digits, 0, whole).append(1, '.').append(digits, whole);
  }
}

}  // namespace proa::json
