#include "cel/cost/range.h"

#include <algorithm>
#include <cmath>

namespace proa::cel {
namespace cost_range {

uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

uint64_t product(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

// In doubles, as upstream computes it: large numbers lose digits there, too.
uint64_t scaled(uint64_t value, double factor) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  const auto number = static_cast<double>(value);
  if (number > 0 && factor > 0 && number > kTwoTo64 / factor) return UINT64_MAX;
  const double result = std::ceil(number * factor);
  return result >= kTwoTo64 ? UINT64_MAX : static_cast<uint64_t>(result);
}

}  // namespace cost_range

Range Range::plus(const Range& other) const {
  return {.min = cost_range::sum(min, other.min), .max = cost_range::sum(max, other.max)};
}

Range Range::times(const Range& other) const {
  return {.min = cost_range::product(min, other.min), .max = cost_range::product(max, other.max)};
}

Range Range::scaled(double factor) const {
  return {.min = cost_range::scaled(min, factor), .max = cost_range::scaled(max, factor)};
}

Range Range::joined(const Range& other) const {
  return {.min = std::min(min, other.min), .max = std::max(max, other.max)};
}

}  // namespace proa::cel
