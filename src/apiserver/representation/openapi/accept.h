#pragma once

#include <span>
#include <string_view>

namespace proa::apiserver {

// The first of `offered` that an Accept header asks for most: by its weights, then by its order. An
// empty header accepts everything. Empty when nothing fits.
std::string_view choose_offered(std::string_view accept, std::span<const std::string_view> offered);

}  // namespace proa::apiserver
