#include "apiserver/front/fairness/queues/allocation.h"

#include <algorithm>
#include <cmath>

namespace proa::apiserver::fairness {
namespace allocation {

constexpr double kLeastTarget = 0.001;  // as upstream: nobody's share is undefined

// What a level has at least: what it used last, unless that was borrowed.
int least_of(const Borrower& level) {
  if (level.exempt) return std::max(level.lower, level.high_watermark);
  return std::max(level.lower, std::min(level.nominal, level.high_watermark));
}

double share(const BoundedTarget& one, double fraction) {
  return std::clamp(fraction * one.target, one.lower, one.upper);
}

double sum_of_shares(std::span<const BoundedTarget> targets, double fraction) {
  double sum = 0;
  for (const BoundedTarget& one : targets) sum += share(one, fraction);
  return sum;
}

int rounded(double number) { return static_cast<int>(std::lround(number)); }

}  // namespace allocation

// The sum grows with the fraction, in a straight line between two fractions at which a share
// reaches one of its bounds.
double fair_fraction(double sum, std::span<const BoundedTarget> targets) {
  std::vector<double> bends;
  for (const BoundedTarget& one : targets) {
    bends.push_back(one.lower / one.target);
    bends.push_back(one.upper / one.target);
  }
  if (bends.empty()) return 0;
  std::ranges::sort(bends);
  double below = bends.front();
  double sum_below = allocation::sum_of_shares(targets, below);
  if (sum <= sum_below) return below;
  for (const double above : bends) {
    const double sum_above = allocation::sum_of_shares(targets, above);
    if (sum_above >= sum) {
      if (sum_above == sum_below) return above;
      return below + (above - below) * (sum - sum_below) / (sum_above - sum_below);
    }
    below = above;
    sum_below = sum_above;
  }
  return bends.back();
}

Allocation allocate_seats(std::span<const Borrower> levels) {
  Allocation made;
  std::vector<BoundedTarget> targets;
  int all = 0;
  int left = 0;  // of them, for those that are limited
  int lower_sum = 0;
  int least_sum = 0;
  for (const Borrower& level : levels) {
    all += level.nominal;
    const int least = allocation::least_of(level);
    if (level.exempt) {
      left -= least;
      continue;
    }
    lower_sum += level.lower;
    least_sum += least;
    targets.push_back({.lower = static_cast<double>(least),
                       .upper = static_cast<double>(std::max(level.upper, least)),
                       .target = std::max({static_cast<double>(least), level.smoothed,
                                           allocation::kLeastTarget})});
  }
  left += all;
  const bool shares_all = left > least_sum;
  // Exempt levels took what others were used to: these go down to what they never lend.
  double kept = 0;
  if (!shares_all && left > lower_sum)
    kept = static_cast<double>(left - lower_sum) / (least_sum - lower_sum);
  if (shares_all) made.fair_fraction = fair_fraction(all, targets);
  size_t next = 0;
  for (const Borrower& level : levels) {
    const int least = allocation::least_of(level);
    if (level.exempt) {
      made.shares.push_back({least, static_cast<double>(least)});
      continue;
    }
    const BoundedTarget& target = targets[next++];
    const double seats = shares_all ? allocation::share(target, made.fair_fraction)
                                    : level.lower + (least - level.lower) * kept;
    made.shares.push_back({allocation::rounded(seats), target.target});
  }
  return made;
}

}  // namespace proa::apiserver::fairness
