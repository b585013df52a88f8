#include "kinds/printing/cells.h"

#include <fmt/format.h>

#include <limits>

#include "api/codec/timestamp.h"

namespace proa::kinds {

namespace cells {

// "3m20s", or "3m" if the second part is zero.
std::string two_parts(int64_t large, char large_unit, int64_t small, char small_unit) {
  if (small == 0) return fmt::format("{}{}", large, large_unit);
  return fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

// Saturates at the limits of Duration.
Duration time_since(const api::Timestamp& then, Time now) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kNanos = 1'000'000'000;
  int64_t then_nanos = 0;
  if (__builtin_mul_overflow(then.seconds, kNanos, &then_nanos) ||
      __builtin_add_overflow(then_nanos, int64_t{then.nanos}, &then_nanos)) {
    return Duration(then.seconds < 0 ? kMost : kLeast);
  }
  int64_t passed = 0;
  if (__builtin_sub_overflow(now.time_since_epoch().count(), then_nanos, &passed)) {
    passed = then_nanos < 0 ? kMost : kLeast;
  }
  return Duration(passed);
}

}  // namespace cells

std::string human_duration(Duration duration) {
  using std::chrono::duration_cast;
  const int64_t seconds = duration_cast<std::chrono::seconds>(duration).count();
  // Tolerates one second of clock skew.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * 60) return fmt::format("{}s", seconds);
  const int64_t minutes = seconds / 60;
  if (minutes < 10) return cells::two_parts(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return fmt::format("{}m", minutes);
  const int64_t hours = minutes / 60;
  if (hours < 8) return cells::two_parts(hours, 'h', minutes % 60, 'm');
  if (hours < 2 * 24) return fmt::format("{}h", hours);
  if (hours < 8 * 24) return cells::two_parts(hours / 24, 'd', hours % 24, 'h');
  const int64_t days = hours / 24;
  if (days < 2 * 365) return fmt::format("{}d", days);
  if (days < 8 * 365) return cells::two_parts(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

void Cells::age(api::View timestamp) {
  const auto then = api::parse_timestamp(timestamp.text(), api::TimePrecision::kSeconds);
  if (!then.ok() || then->is_zero()) return text("<unknown>");
  text(human_duration(cells::time_since(*then, now())));
}

}  // namespace proa::kinds
