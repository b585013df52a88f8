#pragma once

#include <cstdint>

namespace proa::cel {

// A range of sizes or costs. Arithmetic stops at the largest number.
struct Range {
  uint64_t min = 0;
  uint64_t max = 0;

  static Range of(uint64_t value) { return {.min = value, .max = value}; }
  static Range unknown() { return {.min = 0, .max = UINT64_MAX}; }
  Range plus(const Range& other) const;
  Range times(const Range& other) const;
  // Rounded up.
  Range scaled(double factor) const;
  Range joined(const Range& other) const;
  bool operator==(const Range&) const = default;
};

}  // namespace proa::cel
