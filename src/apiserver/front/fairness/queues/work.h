#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace proa::apiserver::fairness {

// Work in seats times seconds, fixed point.
class SeatSeconds {
 public:
  constexpr SeatSeconds() = default;
  static SeatSeconds of(double seats, Duration duration);
  static constexpr SeatSeconds raw(int64_t value) {
    SeatSeconds made;
    made.value_ = value;
    return made;
  }

  constexpr int64_t raw() const { return value_; }
  double number() const;
  // How long that many seats are used for it.
  Duration per_seat(double seats) const;
  // "1.50000000ss", as upstream's dumps.
  std::string str() const;

  constexpr auto operator<=>(const SeatSeconds&) const = default;
  constexpr SeatSeconds operator+(SeatSeconds other) const { return raw(value_ + other.value_); }
  constexpr SeatSeconds operator-(SeatSeconds other) const { return raw(value_ - other.value_); }
  constexpr SeatSeconds& operator+=(SeatSeconds other) {
    value_ += other.value_;
    return *this;
  }
  constexpr SeatSeconds& operator-=(SeatSeconds other) {
    value_ -= other.value_;
    return *this;
  }

 private:
  int64_t value_ = 0;
};

// What a request is expected to cost.
struct WorkEstimate {
  int initial_seats = 1;  // while it executes
  int final_seats = 0;    // afterwards, for that long: its events are sent to watches
  Duration additional_latency{0};

  int max_seats() const { return initial_seats > final_seats ? initial_seats : final_seats; }
  bool operator==(const WorkEstimate&) const = default;
};

}  // namespace proa::apiserver::fairness
