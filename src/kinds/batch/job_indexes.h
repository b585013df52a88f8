#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

// Texts that name indexes of a job: "1,3-5,7".

namespace proa::kinds {

// How many indexes there are. They must grow and be less than `completions`. Failures are
// kBadRequest and say what is wrong, in upstream's words.
Result<int64_t> count_indexes(std::string_view indexes, int64_t completions);

// Fails when the texts have an index in common. Parts that can't be read are passed over.
Result<void> check_disjoint_indexes(std::string_view completed, std::string_view failed,
                                    int64_t completions);

}  // namespace proa::kinds
