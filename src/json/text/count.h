#pragma once

#include <cstddef>
#include <string_view>

namespace proa::json {

// The number of values in JSON text, containers included, without building them. Stops beyond
// `most`, and returns a larger number. For malformed text, some number.
size_t count_values(std::string_view text, size_t most);

}  // namespace proa::json
