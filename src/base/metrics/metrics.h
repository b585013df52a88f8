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

// Numbers about a running program, in the text format of Prometheus. Families are constant data;
// recording is an atomic addition, from any thread; formatting happens when somebody asks.

namespace proa {

enum class MetricKind : uint8_t { kCounter, kGauge, kHistogram };

// Metrics of one name. Lives as long as the program: a constant.
struct MetricFamily {
  std::string_view name;
  std::string_view help;
  MetricKind kind = MetricKind::kCounter;
  std::array<std::string_view, 9> labels = {};  // empty ones behind the last
  std::span<const double> bounds = {};          // of a histogram's buckets, growing
  double precision = 1e9;                       // of a histogram's sum: so many parts of one

  size_t label_count() const;
};

// Only grows.
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

// How often which values came; none below zero. Their sum is kept as a whole number of parts,
// since processors add those at once, but not fractions.
class Histogram {
 public:
  // REQUIRES: `bounds` outlives it.
  explicit Histogram(std::span<const double> bounds, double precision = 1e9)
      : bounds_(bounds),
        precision_(precision),
        buckets_(new std::atomic<uint64_t>[bounds.size() + 1]()) {}

  void observe(double value) {
    // Low ones are the frequent ones.
    size_t bucket = 0;
    while (bucket < bounds_.size() && value > bounds_[bucket]) ++bucket;
    buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(static_cast<uint64_t>(value * precision_), std::memory_order_relaxed);
  }

  std::span<const double> bounds() const { return bounds_; }
  // How many were at most the bound of that index; behind the last: all.
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

// Puts the text together, family by family.
class MetricsText {
 public:
  using Values = std::span<const std::string_view>;  // of the labels, in the family's order

  // What follows belongs to it.
  void begin(const MetricFamily& family);
  void add(Values values, uint64_t value);
  void add(Values values, int64_t value);
  void add(Values values, double value);
  // With those of the histogram's buckets whose bounds the family has, too.
  void add(Values values, const Histogram& histogram);

  std::string take() { return std::move(text_); }

 private:
  void sample(std::string_view suffix, Values values, std::string_view le, std::string_view value);

  const MetricFamily* family_ = nullptr;
  std::string text_;
};

// The metrics of a program, or of a component: made by whoever records them, once for each set of
// labels, and kept by reference. From any thread.
class Metrics {
 public:
  // The same one for the same family and labels. REQUIRES: the family's kind; all of its labels.
  Counter& counter(const MetricFamily& family, std::initializer_list<std::string_view> values = {});
  Gauge& gauge(const MetricFamily& family, std::initializer_list<std::string_view> values = {});
  Histogram& histogram(const MetricFamily& family,
                       std::initializer_list<std::string_view> values = {});
  // For what is kept elsewhere: called when somebody asks.
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

// process_cpu_seconds_total and its relatives, about this process.
void add_process_metrics(MetricsText& text);

// A number as Go's Prometheus client writes it: labels of buckets are compared as text.
std::string metric_number(double number);

}  // namespace proa
