#include "json/text/go_syntax.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace proa::json {
namespace go_syntax {

// Go's limit of nested objects and arrays.
constexpr size_t kDeepest = 10'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// A byte as Go quotes it in such messages: as the code point of that number.
std::string quoted(char c) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
  constexpr std::string_view kNames = "abfnrtv";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\'') return R"('\'')";
  if (c == '\\') return R"('\\')";
  if (c != 0 && kNamed.find(c) != std::string_view::npos)
    return fmt::format("'\\{}'", kNames[kNamed.find(c)]);
  if (byte < ' ' || byte == 0x7F) return fmt::format("'\\x{:02x}'", byte);
  if ((byte > 0x7F && byte <= 0xA0) || byte == 0xAD) return fmt::format("'\\u{:04x}'", byte);
  std::string text;
  append_utf8(text, byte);
  return fmt::format("'{}'", text);
}

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  std::string run() {
    while (error_.empty()) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (at_ == text_.size()) {
        if (next_ != Next::kEnd) error_ = "unexpected end of JSON input";
        break;
      }
      step(text_[at_]);
    }
    return std::move(error_);
  }

 private:
  // What may come next.
  enum class Next : uint8_t { kValue, kFirstItem, kKey, kFirstKey, kColon, kSeparator, kEnd };

  void fail(std::string_view where) {
    error_ = fmt::format("invalid character {} {}", quoted(current()), where);
  }
  // Go's scanner reads a space at the end of the text, to end a number.
  char current() const { return at_ < text_.size() ? text_[at_] : ' '; }

  void step(char c) {
    switch (next_) {
      case Next::kFirstItem:
        if (c == ']') return close();
        [[fallthrough]];
      case Next::kValue:
        return value(c);
      case Next::kFirstKey:
        if (c == '}') return close();
        [[fallthrough]];
      case Next::kKey:
        if (c != '"') return fail("looking for beginning of object key string");
        string();
        next_ = Next::kColon;
        return;
      case Next::kColon:
        if (c != ':') return fail("after object key");
        ++at_;
        next_ = Next::kValue;
        return;
      case Next::kSeparator:
        return separator(c);
      case Next::kEnd:
        return fail("after top-level value");
    }
  }

  void separator(char c) {
    const bool object = open_.back() == '{';
    if (c == (object ? '}' : ']')) return close();
    if (c != ',') return fail(object ? "after object key:value pair" : "after array element");
    ++at_;
    next_ = object ? Next::kKey : Next::kValue;
  }

  void value(char c) {
    if (c == '{' || c == '[') {
      open_ += c;
      ++at_;
      next_ = c == '{' ? Next::kFirstKey : Next::kFirstItem;
      if (open_.size() > kDeepest) error_ = "exceeded max depth";
      return;
    }
    if (c == '"') {
      string();
    } else if (c == '-' || is_digit(c)) {
      number();
    } else if (c == 't') {
      word("true");
    } else if (c == 'f') {
      word("false");
    } else if (c == 'n') {
      word("null");
    } else {
      return fail("looking for beginning of value");
    }
    finish();
  }

  void close() {
    open_.pop_back();
    ++at_;
    finish();
  }
  void finish() { next_ = open_.empty() ? Next::kEnd : Next::kSeparator; }

  void word(std::string_view word) {
    for (const char wanted : word) {
      if (current() != wanted)
        return fail(fmt::format("in literal {} (expecting '{}')", word, wanted));
      ++at_;
    }
  }

  void string() {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < ' ') return fail("in string literal");
      ++at_;
      if (c == '"') return;
      if (c == '\\' && !escape()) return;
    }
    error_ = "unexpected end of JSON input";
  }

  bool escape() {
    constexpr std::string_view kEscapes = "bfnrt\\/\"";
    const char c = current();
    if (c == 'u') {
      ++at_;
      for (int i = 0; i < 4; ++i) {
        if (!is_hex(current())) {
          fail("in \\u hexadecimal character escape");
          return false;
        }
        ++at_;
      }
      return true;
    }
    if (kEscapes.find(c) == std::string_view::npos) {
      fail("in string escape code");
      return false;
    }
    ++at_;
    return true;
  }

  // At least one digit, or the error.
  bool digits(std::string_view where) {
    if (!is_digit(current())) {
      fail(where);
      return false;
    }
    while (is_digit(current())) ++at_;
    return true;
  }

  void number() {
    if (current() == '-') ++at_;
    if (current() == '0') {
      ++at_;
    } else if (!digits("in numeric literal")) {
      return;
    }
    if (current() == '.') {
      ++at_;
      if (!digits("after decimal point in numeric literal")) return;
    }
    if (current() == 'e' || current() == 'E') {
      ++at_;
      if (current() == '+' || current() == '-') ++at_;
      digits("in exponent of numeric literal");
    }
  }

  const std::string_view text_;
  size_t at_ = 0;
  Next next_ = Next::kValue;
  std::string open_;  // the brackets that are open
  std::string error_;
};

}  // namespace go_syntax

std::string go_syntax_error(std::string_view text) { return go_syntax::Checker(text).run(); }

}  // namespace proa::json
