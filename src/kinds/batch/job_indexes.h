#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

// Lists of completion indexes of a Job, as text: "1,3-5,7".

namespace proa::kinds {

// The number of indexes. They must be ascending and less than `completions`. On failure:
// kBadRequest with upstream's message.
Result<int64_t> count_indexes(std::string_view indexes, int64_t completions);

// Fails if the lists have an index in common. Skips parts that cannot be parsed.
Result<void> check_disjoint_indexes(std::string_view completed, std::string_view failed,
                                    int64_t completions);

}  // namespace proa::kinds
