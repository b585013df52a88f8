#pragma once

#include <span>
#include <string>

namespace proa::apiserver {

// Several failures as one text, as upstream's errors.Aggregate prints them: "a", "[a, b]"; what was
// said already is not said again. Empty where there are none.
std::string aggregate_text(std::span<const std::string> failures);

}  // namespace proa::apiserver
