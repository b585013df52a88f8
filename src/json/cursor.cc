#include "json/cursor.h"

#include <array>

#include "json/parse.h"

namespace proa::json {
namespace cursor {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Bytes that matter to who skips a value; find_first_of would call memchr for each byte.
constexpr auto kBrackets = [] {
  std::array<bool, 256> found{};
  for (const unsigned char c : {'"', '{', '}', '[', ']'}) found[c] = true;
  return found;
}();

bool is_number_part(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

}  // namespace cursor

char Cursor::peek() {
  if (failed_) return 0;
  while (at_ < text_.size() && cursor::is_space(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Cursor::expect(char c) {
  if (peek() != c) return false;
  ++at_;
  return true;
}

bool Cursor::enter_object() { return first_ = expect('{'); }

bool Cursor::enter_array() { return first_ = expect('['); }

bool Cursor::next(char close) {
  const bool first = first_;
  first_ = false;
  if (expect(close)) return false;
  if (!first && !expect(',')) fail();
  return !failed_;
}

bool Cursor::next_member() {
  if (!next('}')) return false;
  if (peek() != '"') fail();
  if (failed_) return false;
  key_ = quoted();
  if (!expect(':')) fail();
  return !failed_;
}

bool Cursor::next_item() { return next(']'); }

// REQUIRES: a quote is next.
std::string_view Cursor::quoted() {
  const size_t start = ++at_;
  while (true) {
    const size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) {
      fail();
      return {};
    }
    size_t slashes = 0;
    while (quote - slashes > start && text_[quote - slashes - 1] == '\\') ++slashes;
    at_ = quote + 1;
    if (slashes % 2 == 0) return text_.substr(start, quote - start);
  }
}

std::optional<std::string_view> Cursor::string() {
  if (peek() != '"') return std::nullopt;
  const std::string_view found = quoted();
  return failed_ ? std::nullopt : std::optional(found);
}

std::optional<std::string_view> Cursor::number() {
  const char c = peek();
  if (c != '-' && (c < '0' || c > '9')) return std::nullopt;
  const size_t start = at_;
  while (at_ < text_.size() && cursor::is_number_part(text_[at_])) ++at_;
  return text_.substr(start, at_ - start);
}

bool Cursor::word(std::string_view word) {
  if (peek() != word.front() || text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

std::optional<bool> Cursor::boolean() {
  if (word("true")) return true;
  if (word("false")) return false;
  return std::nullopt;
}

bool Cursor::null() { return word("null"); }

std::string_view Cursor::skip() {
  const char first = peek();
  const size_t start = at_;
  if (first == '"') {
    quoted();
  } else if (first == '{' || first == '[') {
    size_t depth = 0;
    do {
      while (at_ < text_.size() && !cursor::kBrackets[static_cast<unsigned char>(text_[at_])]) {
        ++at_;
      }
      if (at_ == text_.size()) {
        fail();
        return {};
      }
      const char c = text_[at_];
      if (c == '"') {
        quoted();
        continue;
      }
      depth += c == '{' || c == '[' ? 1 : -1;
      ++at_;
    } while (depth != 0 && !failed_);
  } else if (!number() && !boolean() && !null()) {
    fail();
  }
  return failed_ ? std::string_view() : text_.substr(start, at_ - start);
}

std::optional<std::string> unescape(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  // Rare: the parser knows all the rules.
  std::string quoted = "\"";
  quoted.append(raw).push_back('"');
  const Result<Document> parsed = parse(quoted);
  if (!parsed || !parsed->root().is(Kind::kString)) return std::nullopt;
  return std::string(parsed->root().as_string());
}

}  // namespace proa::json
