#pragma once

#include <cstdint>
#include <span>

namespace proa::scheduler {

// Scales non-negative scores so that the highest is 100. `reverse`: lower is better, so the highest
// becomes 0. If all are zero, they stay zero; reversed, all become 100.
void normalize_to_max(std::span<int64_t> scores, bool reverse);

}  // namespace proa::scheduler
