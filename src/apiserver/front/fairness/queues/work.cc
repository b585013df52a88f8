#include "apiserver/front/fairness/queues/work.h"

#include <fmt/format.h>

#include <cmath>

namespace proa::apiserver::fairness {
namespace work {

// Upstream's scale: one of 1e-8 seat-seconds. An int64 holds 2,900 years of one seat.
constexpr int64_t kScale = 100'000'000;
constexpr double kNanosecondsPerUnit = 1e9 / kScale;

}  // namespace work

SeatSeconds SeatSeconds::of(double seats, Duration duration) {
  return raw(
      std::llround(seats * static_cast<double>(duration.count()) / work::kNanosecondsPerUnit));
}

double SeatSeconds::number() const { return static_cast<double>(value_) / work::kScale; }

Duration SeatSeconds::per_seat(double seats) const {
  return Duration(
      static_cast<int64_t>(static_cast<double>(value_) / seats * work::kNanosecondsPerUnit));
}

std::string SeatSeconds::str() const {
  const int64_t size = std::abs(value_);
  return fmt::format("{}{}.{:08}ss", value_ < 0 ? "-" : "", size / work::kScale,
                     size % work::kScale);
}

}  // namespace proa::apiserver::fairness
