#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::api {

// A time of metav1.Time or MicroTime: years 0 to 9999, beyond the range of proa::Time. Objects use
// them for the ends of certificates and for "never".
struct Timestamp {
  int64_t seconds = 0;  // since 1970
  int32_t nanos = 0;

  // The first second of the year 1, which upstream treats as unset and prints as null.
  bool is_zero() const { return seconds == kZeroSeconds && nanos == 0; }
  static constexpr int64_t kZeroSeconds = -62135596800;

  bool operator==(const Timestamp&) const = default;
};

enum class TimePrecision : uint8_t { kSeconds, kMicros };

// As Go reads the layout of metav1.Time (a fraction of any length is accepted) or of MicroTime
// (exactly six digits); failures are kBadRequest, in Go's words.
Result<Timestamp> parse_timestamp(std::string_view text, TimePrecision precision);

// In UTC. Fails for years without four digits.
Result<std::string> format_timestamp(const Timestamp& time, TimePrecision precision);

}  // namespace proa::api
