#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/result.h"

namespace proa::apiserver {

// Numbers from zero up, some of them taken. The first `kept` are reserved for explicit requests:
// others get one of them only if all the rest are taken.
struct NumberRange {
  uint64_t size = 0;
  uint64_t kept = 0;
};

// Returns how many to reserve: `total` / `part`, at least 16 and at most `most`, as upstream's
// calculateRangeOffset. Zero if the range is too small to be divided.
uint64_t numbers_to_keep(uint64_t total, uint64_t part, uint64_t most);

// The taken numbers: a test for one, and all in any order. `all` is more expensive and only called
// if the range is nearly full.
struct Taken {
  std::function<Result<bool>(uint64_t number)> has;
  std::function<Result<std::vector<uint64_t>>()> all;
};

// A random free number; nullopt if there is none.
Result<std::optional<uint64_t>> choose_free(const NumberRange& range, const Taken& taken,
                                            Random& random);

}  // namespace proa::apiserver
