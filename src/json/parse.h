#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/cost/budget.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::json {

struct ParseOptions {
  // Longer text is rejected without parsing.
  size_t max_size = size_t{64} << 20;
  // Deeper nesting is rejected. At most kMaxDepth.
  size_t max_depth = kMaxDepth;
  // Receives the paths of duplicate keys ("spec.containers[0].name"), at most 100, for callers that
  // reject them: upstream's strict decoding reports `duplicate field "..."`.
  std::vector<std::string>* duplicates = nullptr;
  // If it is not null, text with more values than it has left is rejected without parsing, and so
  // is text that takes too much memory. Text that is too short for that is not charged.
  Budget* budget = nullptr;
};

// Parses one JSON value (RFC 8259), followed by white space only. As encoding/json: the last of
// duplicate keys counts, invalid UTF-8 and unpaired surrogates become U+FFFD, numbers beyond double
// are rejected. Failures are kBadRequest and name the offset, or kRequestEntityTooLarge.
Result<Document> parse(std::string_view text, const ParseOptions& options = {});

// Text that the program itself composed. REQUIRES: it is JSON.
Document parse_literal(std::string_view text);

}  // namespace proa::json
