#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/cost/budget.h"
#include "json/value.h"

namespace proa::apiserver {

// The body of a write: encoded bytes, or an in-process caller's document, which needs no printing
// and parsing.
struct Payload {
  std::string content_type;  // of `bytes`; for a patch, of either form
  Bytes bytes = {};
  std::optional<json::Document> document = std::nullopt;
  // What decoding it, and the work on it, may cost.
  Budget budget = {};
};

}  // namespace proa::apiserver
