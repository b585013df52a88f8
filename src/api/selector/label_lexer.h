#pragma once

#include <cstdint>
#include <string_view>

namespace proa::api {

// A token of a label selector. `in` and `notin` are ordinary words in the position of a key or a
// value.
struct LabelToken {
  enum class Kind : uint8_t {
    kEnd,
    kWord,
    kIn,
    kNotIn,
    kNot,
    kEquals,
    kDoubleEquals,
    kNotEquals,
    kGreater,
    kLess,
    kOpen,
    kClose,
    kComma,
  };

  Kind kind = Kind::kEnd;
  std::string_view text;

  bool is(Kind wanted) const { return kind == wanted; }
  bool is_word() const { return is(Kind::kWord) || is(Kind::kIn) || is(Kind::kNotIn); }
};

// Tokenises a label selector, with one token of lookahead.
class LabelLexer {
 public:
  explicit LabelLexer(std::string_view text) : rest_(text) { advance(); }

  const LabelToken& peek() const { return next_; }
  LabelToken take() {
    const LabelToken token = next_;
    advance();
    return token;
  }

 private:
  void advance();

  std::string_view rest_;
  LabelToken next_;
};

}  // namespace proa::api
