#pragma once

#include <span>
#include <vector>

namespace proa::apiserver::fairness {

// A level that lends seats to others and borrows theirs.
struct Borrower {
  bool exempt = false;
  int nominal = 0;
  int lower = 0;  // what it never lends
  int upper = 0;  // the nominal seats and what it may borrow
  int high_watermark = 0;
  double smoothed = 0;  // demand
  int current = 0;      // seats so far
};

struct Allocation {
  struct Share {
    int seats = 0;
    double target = 0;
  };
  std::vector<Share> shares;  // in the order of the borrowers
  double fair_fraction = 0;
};

// Divides the seats of all levels by their demand, as upstream: everyone gets the same fraction of
// what it could use, within its bounds; what it used in the last period is not taken from it,
// unless that is borrowed itself.
Allocation allocate_seats(std::span<const Borrower> levels);

// Exposed for tests. The fraction of all targets at which the shares, each within its bounds, have
// that sum; clamped to the bounds if there is none.
struct BoundedTarget {
  double lower = 0;
  double upper = 0;
  double target = 0;  // > 0
};
double fair_fraction(double sum, std::span<const BoundedTarget> targets);

}  // namespace proa::apiserver::fairness
