#pragma once

#include <string>
#include <string_view>

namespace proa::json {

// The same JSON, indented by two spaces per level, without a final line end: as json.MarshalIndent
// prints it. REQUIRES: `text` is valid.
std::string indent(std::string_view text);

}  // namespace proa::json
