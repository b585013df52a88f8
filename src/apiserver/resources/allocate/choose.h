#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/result.h"

namespace proa::apiserver {

// Numbers from zero up, of which some are taken. The first ones are kept for those who ask for a
// certain one: who does not care gets one of them only when all others are taken.
struct NumberRange {
  uint64_t size = 0;
  uint64_t kept = 0;
};

// How many to keep: a part of `total`, at least 16 and at most `most`, as upstream shares ranges
// out (calculateRangeOffset). None of a range that is too small to be shared.
uint64_t numbers_to_keep(uint64_t total, uint64_t part, uint64_t most);

// What is taken: one number, and all of them in any order. The second costs more, and is asked for
// only when the range is nearly full.
struct Taken {
  std::function<Result<bool>(uint64_t number)> has;
  std::function<Result<std::vector<uint64_t>>()> all;
};

// A number that is free, by chance; nullopt when there is none.
Result<std::optional<uint64_t>> choose_free(const NumberRange& range, const Taken& taken,
                                            Random& random);

}  // namespace proa::apiserver
