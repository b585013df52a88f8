#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proa::json {

// The path of a JSON patch operation: a JSON Pointer (RFC 6901), "/spec/containers/0/name", read
// as leniently as upstream's library (evanphx/json-patch) reads it: what stands before the first
// slash does not count, and a '~' that is neither ~0 nor ~1 stands for itself.
class Pointer {
 public:
  // Without a slash it is the whole document.
  static Pointer parse(std::string_view text);

  const std::vector<std::string>& tokens() const { return tokens_; }
  bool is_root() const { return tokens_.empty(); }

 private:
  std::vector<std::string> tokens_;
};

// The index of an item that a token names; `limit` is the first index that does not exist.
// Negative ones count from the limit. As Go's strconv.Atoi reads numbers: signs and leading zeros
// are fine.
std::optional<size_t> resolve_index(std::string_view token, size_t limit);

}  // namespace proa::json
