#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace proa::cli {

// The candidate nearest to `word`; nullopt if none is similar.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates);

// "; did you mean 'store'?", or empty.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace proa::cli
