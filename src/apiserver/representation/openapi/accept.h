#pragma once

#include <span>
#include <string_view>

namespace proa::apiserver {

// The best of `offered` for an Accept header: by weight, then by order. An empty header accepts
// everything. Empty if nothing matches.
std::string_view choose_offered(std::string_view accept, std::span<const std::string_view> offered);

}  // namespace proa::apiserver
