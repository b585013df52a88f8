#pragma once

#include "base/time.h"

namespace proa::apiserver::fairness {

// The seats that a level could use, over a period of time.
class Demand {
 public:
  struct Period {
    double seconds = 0;
    double average = 0;    // weighted by time
    double deviation = 0;  // the standard deviation
    int high_watermark = 0;
  };

  explicit Demand(Steady now) : last_(now) {}

  void set(int seats, Steady now);
  // Ends the period; the next one begins.
  Period take(Steady now);

 private:
  void advance(Steady now);

  Steady last_;
  int seats_ = 0;
  int high_ = 0;
  double seconds_ = 0;
  double sum_ = 0;      // of seats times seconds
  double squares_ = 0;  // of seats squared times seconds
};

// Demand that follows a rise at once and a fall slowly, as upstream: half of it is gone after five
// minutes.
struct SmoothedDemand {
  double average = 0;
  double deviation = 0;
  double smoothed = 0;
  int high_watermark = 0;

  void add(const Demand::Period& period);
  // The same for that many periods without any demand.
  void add_idle(int64_t periods);
};

}  // namespace proa::apiserver::fairness
