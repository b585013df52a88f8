#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cel/syntax/issues.h"

namespace proa::cel {

enum class TokenKind : uint8_t {
  kEnd,
  kSymbol,  // an operator or a bracket
  kIdent,
  kEscapedIdent,  // `a-b`
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTrue,
  kFalse,
  kNull,
  kIn,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t position = 0;
  std::string_view text;

  bool is(std::string_view symbol) const { return kind == TokenKind::kSymbol && text == symbol; }
};

// The tokens of a source, with an end token behind them. Characters that belong to no token are
// reported and left out.
std::vector<Token> tokenize(std::string_view source, Issues& issues);

}  // namespace proa::cel
