#include "api/selector/label_lexer.h"

#include <algorithm>

namespace proa::api {

namespace label_lexer {

using Kind = LabelToken::Kind;

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kSymbols = "=!(),><";
// A NUL ends a word, too, and upstream's lexer continues after it; elsewhere it ends the text.
constexpr std::string_view kEndsOfWords{"=!(),>< \t\r\n\0", 12};

Kind kind_of(char symbol) {
  switch (symbol) {
    case '=':
      return Kind::kEquals;
    case '!':
      return Kind::kNot;
    case '(':
      return Kind::kOpen;
    case ')':
      return Kind::kClose;
    case ',':
      return Kind::kComma;
    case '>':
      return Kind::kGreater;
    default:
      return Kind::kLess;
  }
}

Kind kind_of(std::string_view word) {
  if (word == "in") return Kind::kIn;
  return word == "notin" ? Kind::kNotIn : Kind::kWord;
}

}  // namespace label_lexer

void LabelLexer::advance() {
  using Kind = LabelToken::Kind;
  rest_.remove_prefix(std::min(rest_.find_first_not_of(label_lexer::kSpaces), rest_.size()));
  if (rest_.empty() || rest_.front() == '\0') {
    next_ = {};
    return;
  }
  size_t size = 1;
  Kind kind = Kind::kWord;
  if (rest_.starts_with("==")) {
    kind = Kind::kDoubleEquals;
    size = 2;
  } else if (rest_.starts_with("!=")) {
    kind = Kind::kNotEquals;
    size = 2;
  } else if (label_lexer::kSymbols.find(rest_.front()) != std::string_view::npos) {
    kind = label_lexer::kind_of(rest_.front());
  } else {
    size = std::min(rest_.find_first_of(label_lexer::kEndsOfWords), rest_.size());
    kind = label_lexer::kind_of(rest_.substr(0, size));
  }
  next_ = {kind, rest_.substr(0, size)};
  rest_.remove_prefix(size);
  if (rest_.starts_with('\0')) rest_.remove_prefix(1);
}

}  // namespace proa::api
