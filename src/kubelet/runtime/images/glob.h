#pragma once

#include <string_view>

namespace proa::kubelet {

// Whether the whole text matches a shell pattern, as Go's path.Match does it: * and ? (but no
// slash), [a-z], [^a], \ before what means itself. A malformed pattern matches nothing.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace proa::kubelet
