#pragma once

#include <string_view>

namespace proa::kubelet {

// Whether the whole text matches a shell pattern, like Go's path.Match: * and ? (but no slash),
// [a-z], [^a], \ as escape. A malformed pattern matches nothing.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace proa::kubelet
