#include "apiserver/front/fairness/queues/demand.h"

#include <algorithm>
#include <cmath>

namespace proa::apiserver::fairness {
namespace demand {

// Upstream's seatDemandSmoothingCoefficient, of periods of ten seconds.
constexpr double kKept = 0.977;

}  // namespace demand

void Demand::advance(Steady now) {
  if (now <= last_) return;
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  seconds_ += seconds;
  sum_ += seats_ * seconds;
  squares_ += static_cast<double>(seats_) * seats_ * seconds;
}

void Demand::set(int seats, Steady now) {
  advance(now);
  seats_ = seats;
  high_ = std::max(high_, seats);
}

Demand::Period Demand::take(Steady now) {
  advance(now);
  Period period{.seconds = seconds_, .average = 0, .deviation = 0, .high_watermark = high_};
  if (seconds_ > 0) {
    period.average = sum_ / seconds_;
    const double variance = squares_ / seconds_ - period.average * period.average;
    period.deviation = variance > 0 ? std::sqrt(variance) : 0;
  }
  high_ = seats_;
  seconds_ = sum_ = squares_ = 0;
  return period;
}

void SmoothedDemand::add(const Demand::Period& period) {
  high_watermark = period.high_watermark;
  if (period.seconds <= 0) return;
  average = period.average;
  deviation = period.deviation;
  const double envelope = average + deviation;
  smoothed = std::max(envelope, demand::kKept * smoothed + (1 - demand::kKept) * envelope);
}

void SmoothedDemand::add_idle(int64_t periods) {
  if (periods <= 0) return;
  average = deviation = 0;
  high_watermark = 0;
  smoothed *= std::pow(demand::kKept, static_cast<double>(periods));
}

}  // namespace proa::apiserver::fairness
