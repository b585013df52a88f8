#pragma once

#include <cstdint>
#include <span>

namespace proa::scheduler {

// Stretches raw scores, none below zero, so that the highest is 100. `reverse`: less is better, so
// the highest becomes 0. Where all are zero they stay so; reversed, all become 100.
void normalize_to_max(std::span<int64_t> scores, bool reverse);

}  // namespace proa::scheduler
