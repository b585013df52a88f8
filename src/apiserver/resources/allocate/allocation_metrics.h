#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics/labelled.h"
#include "base/threads/mutex.h"
#include "base/time.h"

namespace proa::apiserver {

// Who chose an address or port: the client or this server.
enum class AllocationScope : uint8_t { kStatic, kDynamic };

// How much of a range is taken.
struct RangeUse {
  std::string range;  // "10.96.0.0/16"
  uint64_t taken = 0;
  uint64_t free = 0;
};

// Metrics of Service addresses, with upstream's names. Thread-safe.
class ClusterIpMetrics {
 public:
  ClusterIpMetrics();

  void count(std::string_view cidr, AllocationScope scope, Duration took);
  void count_failure(std::string_view cidr, AllocationScope scope);
  void set_use(std::vector<RangeUse> use) EXCLUDES(mutex_);

  void write(MetricsText& text) const EXCLUDES(mutex_);

 private:
  Labelled<Counter> allocations_;
  Labelled<Counter> failures_;
  Labelled<Histogram> seconds_;
  mutable Mutex mutex_;
  std::vector<RangeUse> use_ GUARDED_BY(mutex_);
};

// The same for node ports.
class NodePortMetrics {
 public:
  void count(AllocationScope scope) { allocations_[static_cast<size_t>(scope)].add(); }
  void count_failure(AllocationScope scope) { failures_[static_cast<size_t>(scope)].add(); }
  void set_use(uint64_t taken, uint64_t free);

  void write(MetricsText& text) const;

 private:
  static constexpr size_t kScopes = 2;

  std::array<Counter, kScopes> allocations_;
  std::array<Counter, kScopes> failures_;
  Gauge taken_;
  Gauge free_;
};

}  // namespace proa::apiserver
