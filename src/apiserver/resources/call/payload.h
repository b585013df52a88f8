#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "json/value.h"

namespace proa::apiserver {

// What came with a request that writes: bytes in some encoding, or the document of a component in
// this process, which nobody has to print and parse.
struct Payload {
  std::string content_type;  // of the bytes; which kind of patch it is, for either form
  Bytes bytes = {};
  std::optional<json::Document> document = std::nullopt;
};

}  // namespace proa::apiserver
