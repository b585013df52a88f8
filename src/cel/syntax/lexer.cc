#include "cel/syntax/lexer.h"

#include <algorithm>
#include <string>

#include "base/utf8.h"

namespace proa::cel {
namespace lexer {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

constexpr std::string_view kSymbols[] = {"==", "!=", "<=", ">=", "&&", "||", "<", ">",
                                         "[",  "]",  "{",  "}",  "(",  ")",  ".", ",",
                                         "-",  "!",  "?",  ":",  "+",  "*",  "/", "%"};

class Lexer {
 public:
  Lexer(std::string_view source, Issues& issues) : source_(source), issues_(issues) {}

  std::vector<Token> run() {
    while (skip_blanks(), at_ < source_.size()) next();
    const auto end = static_cast<uint32_t>(source_.size());
    tokens_.push_back({.kind = TokenKind::kEnd, .position = end, .text = "<EOF>"});
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  std::string_view rest() const { return source_.substr(at_); }

  void skip_blanks() {
    while (at_ < source_.size()) {
      if (is_space(source_[at_])) {
        ++at_;
      } else if (rest().starts_with("//")) {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else {
        return;
      }
    }
  }

  void emit(TokenKind kind, size_t size) {
    tokens_.push_back(
        {.kind = kind, .position = static_cast<uint32_t>(at_), .text = source_.substr(at_, size)});
    at_ += size;
  }

  void next() {
    const size_t literal = string_prefix();
    if (literal != std::string_view::npos) {
      quoted(literal);
    } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      number();
    } else if (is_letter(peek()) || peek() == '_') {
      word();
    } else if (peek() == '`') {
      escaped_ident();
    } else {
      symbol();
    }
  }

  // The letters before the quotes of a string or bytes: r, b or br; npos if there are no quotes.
  size_t string_prefix() const {
    size_t size = 0;
    if (peek() == 'b' || peek() == 'B') ++size;
    if (peek(size) == 'r' || peek(size) == 'R') ++size;
    const char quote = peek(size);
    return quote == '"' || quote == '\'' ? size : std::string_view::npos;
  }

  void quoted(size_t prefix) {
    const bool bytes = prefix > 0 && (peek() == 'b' || peek() == 'B');
    const bool raw = prefix > 0 && (peek(prefix - 1) == 'r' || peek(prefix - 1) == 'R');
    const char quote = peek(prefix);
    const std::string triple(3, quote);
    const bool long_form = rest().substr(prefix).starts_with(triple);
    size_t end = prefix + (long_form ? 3 : 1);
    for (;; ++end) {
      if (at_ + end >= source_.size()) return bad(end);
      const char c = peek(end);
      if (long_form ? rest().substr(end).starts_with(triple) : c == quote) break;
      if (!long_form && (c == '\n' || c == '\r')) return bad(end);
      if (c == '\\' && !raw) {
        const size_t size = escape_size(end);
        if (size == 0) return bad(end + 2);
        end += size - 1;
      }
    }
    emit(bytes ? TokenKind::kBytes : TokenKind::kString, end + (long_form ? 3 : 1));
  }

  // The size of a well-formed escape sequence, else zero.
  size_t escape_size(size_t at) const {
    const char c = peek(at + 1);
    if (c != '\0' && std::string_view("abfnrtv\"'\\?`").find(c) != std::string_view::npos) return 2;
    if (c >= '0' && c <= '3') return all(at + 2, 2, [](char d) { return d >= '0' && d <= '7'; });
    if (c == 'x' || c == 'X') return all(at + 2, 2, is_hex);
    if (c == 'u') return all(at + 2, 4, is_hex);
    if (c == 'U') return all(at + 2, 8, is_hex);
    return 0;
  }

  template <typename Test>
  size_t all(size_t from, size_t count, Test test) const {
    for (size_t i = 0; i < count; ++i) {
      if (!test(peek(from + i))) return 0;
    }
    return count + 2;
  }

  void bad(size_t size) {
    size = std::min(std::max<size_t>(size, 1), source_.size() - at_);
    issues_.add(static_cast<uint32_t>(at_), "Syntax error: token recognition error at: '" +
                                                std::string(rest().substr(0, size)) + "'");
    at_ += size;
  }

  void number() {
    size_t size = 0;
    if (rest().starts_with("0x") && is_hex(peek(2))) {
      for (size = 2; is_hex(peek(size));) ++size;
      return integer(size);
    }
    while (is_digit(peek(size))) ++size;
    bool real = false;
    if (peek(size) == '.' && is_digit(peek(size + 1))) {
      real = true;
      for (++size; is_digit(peek(size));) ++size;
    }
    if (peek(size) == 'e' || peek(size) == 'E') {
      const size_t digits = size + (peek(size + 1) == '+' || peek(size + 1) == '-' ? 2 : 1);
      if (is_digit(peek(digits))) {
        real = true;
        for (size = digits; is_digit(peek(size));) ++size;
      }
    }
    if (real) return emit(TokenKind::kDouble, size);
    integer(size);
  }

  void integer(size_t size) {
    const bool is_unsigned = peek(size) == 'u' || peek(size) == 'U';
    emit(is_unsigned ? TokenKind::kUint : TokenKind::kInt, size + (is_unsigned ? 1 : 0));
  }

  void word() {
    size_t size = 1;
    while (is_word(peek(size))) ++size;
    const std::string_view text = source_.substr(at_, size);
    if (text == "true") return emit(TokenKind::kTrue, size);
    if (text == "false") return emit(TokenKind::kFalse, size);
    if (text == "null") return emit(TokenKind::kNull, size);
    if (text == "in") return emit(TokenKind::kIn, size);
    emit(TokenKind::kIdent, size);
  }

  void escaped_ident() {
    size_t size = 1;
    while (is_word(peek(size)) || (peek(size) != '\0' && std::string_view(".-/ ").find(peek(
                                                             size)) != std::string_view::npos)) {
      ++size;
    }
    if (size == 1 || peek(size) != '`') return bad(size);
    emit(TokenKind::kEscapedIdent, size + 1);
  }

  void symbol() {
    for (const std::string_view symbol : kSymbols) {
      if (rest().starts_with(symbol)) return emit(TokenKind::kSymbol, symbol.size());
    }
    bad(decode_utf8(rest()).size);
  }

  std::string_view source_;
  Issues& issues_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace lexer

std::vector<Token> tokenize(std::string_view source, Issues& issues) {
  return lexer::Lexer(source, issues).run();
}

}  // namespace proa::cel
