#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/mutex.h"

// Metrics of a running program in Prometheus' text format. Families are constant data; recording is
// an atomic addition, from any thread; formatting happens on request.

namespace proa {

enum class MetricKind : uint8_t { kCounter, kGauge, kHistogram, kSummary };

// All metrics with one name. A constant that lives as long as the program.
struct MetricFamily {
  std::string_view name;
  std::string_view help;
  MetricKind kind = MetricKind::kCounter;
  std::array<std::string_view, 9> labels = {};  // unused ones are empty
  std::span<const double> bounds = {};          // of a histogram's buckets, ascending
  double precision = 1e9;                       // of a histogram's sum: fractions of one

  size_t label_count() const;
};

// Monotonic.
class Counter {
 public:
  void add(uint64_t count = 1) { value_.fetch_add(count, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

class Gauge {
 public:
  void set(int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(int64_t change) { value_.fetch_add(change, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

// A distribution of values, none below zero. The sum is kept as an integer number of fractions,
// because processors have an atomic addition for integers only.
class Histogram {
 public:
  // REQUIRES: `bounds` outlives it.
  explicit Histogram(std::span<const double> bounds, double precision = 1e9)
      : bounds_(bounds),
        precision_(precision),
        buckets_(new std::atomic<uint64_t>[bounds.size() + 1]()) {}

  void observe(double value) {
    // Low values are the frequent ones.
    size_t bucket = 0;
    while (bucket < bounds_.size() && value > bounds_[bucket]) ++bucket;
    buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(static_cast<uint64_t>(value * precision_), std::memory_order_relaxed);
  }

  // What was counted elsewhere: in the bucket with that index, and the sum of the values.
  void add_to_bucket(size_t bucket, uint64_t count) {
    buckets_[bucket].fetch_add(count, std::memory_order_relaxed);
  }
  void add_to_sum(double value) {
    sum_.fetch_add(static_cast<uint64_t>(value * precision_), std::memory_order_relaxed);
  }

  std::span<const double> bounds() const { return bounds_; }
  // How many values were at most the bound with that index; the last entry counts all.
  std::vector<uint64_t> cumulative() const;
  double sum() const {
    return static_cast<double>(sum_.load(std::memory_order_relaxed)) / precision_;
  }

 private:
  const std::span<const double> bounds_;
  const double precision_;
  const std::unique_ptr<std::atomic<uint64_t>[]> buckets_;
  std::atomic<uint64_t> sum_{0};
};

// What a summary shows.
struct SummaryValue {
  struct Quantile {
    double rank = 0;   // 0.99
    double value = 0;  // not a number: nothing was observed lately
  };
  std::vector<Quantile> quantiles;
  double sum = 0;
  uint64_t count = 0;
};

// Builds the text, family by family.
class MetricsText {
 public:
  using Values = std::span<const std::string_view>;  // label values, in the family's order

  // Starts a family; everything added next belongs to it.
  void begin(const MetricFamily& family);
  void add(Values values, uint64_t value);
  void add(Values values, int64_t value);
  void add(Values values, double value);
  // Includes the buckets of the histogram whose bounds the family has.
  void add(Values values, const Histogram& histogram);
  void add(Values values, const SummaryValue& summary);

  std::string take() { return std::move(text_); }

 private:
  // One more label after those of the family.
  struct Extra {
    std::string_view name;
    std::string value;
  };
  void sample(std::string_view suffix, Values values, const Extra& extra, std::string_view value);

  const MetricFamily* family_ = nullptr;
  std::string text_;
};

// A registry of metrics, for a program or a component. Recorders create a metric once per set of
// labels and keep a reference. Thread-safe.
class Metrics {
 public:
  // Returns the same object for the same family and labels. REQUIRES: the family is of this kind;
  // values for all of its labels.
  Counter& counter(const MetricFamily& family, std::initializer_list<std::string_view> values = {});
  Gauge& gauge(const MetricFamily& family, std::initializer_list<std::string_view> values = {});
  Histogram& histogram(const MetricFamily& family,
                       std::initializer_list<std::string_view> values = {});
  // For metrics kept elsewhere: called on every request.
  void collect(std::function<void(MetricsText&)> collector);

  std::string text() const;

 private:
  struct Series {
    explicit Series(const MetricFamily& family) : histogram(family.bounds, family.precision) {}
    std::vector<std::string> values;
    Counter counter;
    Gauge gauge;
    Histogram histogram;
  };
  struct Group {
    const MetricFamily* family;
    std::vector<std::unique_ptr<Series>> series;
  };
  Series& find(const MetricFamily& family, std::initializer_list<std::string_view> values)
      EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::vector<Group> groups_ GUARDED_BY(mutex_);
  std::vector<std::function<void(MetricsText&)>> collectors_ GUARDED_BY(mutex_);
};

// process_cpu_seconds_total and the other standard metrics of this process.
void add_process_metrics(MetricsText& text);
// When this process began, in seconds since 1970; as a number, and as process_start_time_seconds.
double process_start_seconds();
void add_process_start(MetricsText& text);

// A number as Go's Prometheus client prints it: bucket labels are compared as text.
std::string metric_number(double number);

}  // namespace proa
