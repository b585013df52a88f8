#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace proa::json {

struct ParseOptions {
  // Longer text is refused unread.
  size_t max_size = size_t{64} << 20;
  // More levels of arrays and objects are refused. At most kMaxDepth.
  size_t max_depth = kMaxDepth;
  // Where the paths of keys that came twice go ("spec.containers[0].name"), at most 100 of them,
  // for callers that refuse them: upstream's strict decoding says `duplicate field "..."`.
  std::vector<std::string>* duplicates = nullptr;
};

// One JSON value (RFC 8259) and nothing behind it but white space. As encoding/json does it: of
// keys that come twice the last value counts, bytes that are no UTF-8 and halves of surrogate pairs
// become U+FFFD, numbers beyond double are refused. Failures are kBadRequest and name the offset of
// what is wrong, or kRequestEntityTooLarge.
Result<Document> parse(std::string_view text, const ParseOptions& options = {});

}  // namespace proa::json
