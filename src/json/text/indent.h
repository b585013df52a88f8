#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::json {

// The same JSON, indented by two spaces per level, without a final line end: as json.MarshalIndent
// prints it. Nullopt if that is longer than `most`: deep values become hundreds of times as long.
// REQUIRES: `text` is valid.
std::optional<std::string> indent(std::string_view text, size_t most);

}  // namespace proa::json
