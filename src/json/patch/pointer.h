#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace proa::json {

// A JSON Pointer (RFC 6901): "/spec/containers/0/name".
class Pointer {
 public:
  // Empty text is the whole document.
  static Result<Pointer> parse(std::string_view text);

  const std::vector<std::string>& tokens() const { return tokens_; }
  std::string str() const;
  bool is_root() const { return tokens_.empty(); }
  // Whether `other` equals this pointer or lies within it.
  bool contains(const Pointer& other) const;

  // Null if nothing is there.
  const Value* find(const Value& root) const;
  Value* find(Value& root) const;

 private:
  std::vector<std::string> tokens_;
};

// An array index as RFC 6901 writes it: digits without leading zeros.
std::optional<size_t> parse_index(std::string_view token);

// Escapes a key for use in a pointer: '~' and '/'.
std::string escape_token(std::string_view key);

}  // namespace proa::json
