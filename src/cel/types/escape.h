#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::cel {

// The name of a property as expressions write it: "a-b" is a__dash__b, and words of the language
// are __for__. Nullopt if there is no such name.
std::optional<std::string> escape_name(std::string_view name);

// Whether unescape_name() would change the name, or fail.
inline bool is_escaped_name(std::string_view name) {
  return name.find("__") != std::string_view::npos;
}
// The other way round; nullopt if an escape is malformed.
std::optional<std::string> unescape_name(std::string_view name);

}  // namespace proa::cel
