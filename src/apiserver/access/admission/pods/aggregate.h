#pragma once

#include <span>
#include <string>

namespace proa::apiserver {

// Formats several failures as upstream's errors.Aggregate does: "a", "[a, b]", without duplicates.
// Empty if there are none.
std::string aggregate_text(std::span<const std::string> failures);

}  // namespace proa::apiserver
