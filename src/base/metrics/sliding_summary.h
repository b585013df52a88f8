#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>

#include "base/metrics/metrics.h"
#include "base/threads/mutex.h"

namespace proa {

// Sum, number and quantiles of durations in seconds, as a summary of Prometheus' client shows them:
// quantiles are those of the latest ones only. Values are counted by their magnitude, in slots of
// time of which the oldest is dropped: quantiles are off by at most 2.5 %, and memory and time are
// fixed. Thread-safe.
class SlidingSummary {
 public:
  using Moment = std::chrono::nanoseconds;  // of a steady clock

  // Quantiles are those of values that are younger than this, up to a fifth less.
  explicit SlidingSummary(Moment max_age) : slot_age_(max_age / kSlots) {}

  void observe(double seconds, Moment now) EXCLUDES(mutex_);
  // REQUIRES: `ranks` are ascending.
  SummaryValue value(std::span<const double> ranks, Moment now) const EXCLUDES(mutex_);

 private:
  static constexpr size_t kSlots = 5;  // upstream's AgeBuckets
  // From a microsecond to three minutes, each 5 % longer than the one before; the first and the
  // last have what is beyond.
  static constexpr size_t kBuckets = 392;

  struct Slot {
    int64_t number = -1;  // of its time; -1: unused
    std::array<uint32_t, kBuckets> counts = {};
  };
  static size_t bucket_of(double seconds);
  static double middle_of(size_t bucket);
  int64_t slot_at(Moment now) const { return now / slot_age_; }

  const Moment slot_age_;
  mutable Mutex mutex_;
  std::array<Slot, kSlots> slots_ GUARDED_BY(mutex_);
  double sum_ GUARDED_BY(mutex_) = 0;
  uint64_t count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace proa
