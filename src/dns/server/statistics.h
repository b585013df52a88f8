#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>

#include "base/metrics/metrics.h"
#include "base/threads/mutex.h"
#include "base/time.h"
#include "dns/message/types.h"

namespace proa::dns {

// Who answered, as CoreDNS names its plugins.
enum class Answerer : uint8_t { kCluster, kForward, kNobody };

// What one thread answered. Written by that thread only, so that no two processors want the same
// memory for every packet; read by whoever wants metrics.
class Statistics {
 public:
  struct Request {
    bool tcp = false;
    bool v6 = false;
    Type type = Type::kA;
    bool dnssec_ok = false;
    size_t size = 0;
  };
  void add_request(const Request& request);
  void add_response(bool tcp, Rcode rcode, Answerer answerer, size_t size, Duration duration);
  void add_dropped() { bump(dropped_); }

  static constexpr size_t kTypes = 17;
  static constexpr size_t kRcodes = 7;
  static constexpr size_t kTimes = 16;
  static constexpr size_t kSizes = 14;

 private:
  friend class StatisticsText;
  using Number = std::atomic<uint64_t>;
  static void bump(Number& number, uint64_t by = 1) {
    number.store(number.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  std::array<std::array<std::array<Number, kTypes>, 2>, 2> requests_{};  // tcp, v6, type
  std::array<std::array<Number, 3>, kRcodes> responses_{};
  std::array<Number, kTimes + 1> durations_{};
  Number nanoseconds_{0};
  std::array<std::array<Number, kSizes + 1>, 2> request_sizes_{};
  std::array<std::array<Number, kSizes + 1>, 2> response_sizes_{};
  std::array<Number, 2> request_bytes_{};
  std::array<Number, 2> response_bytes_{};
  Number dnssec_ok_{0};
  Number dropped_{0};
};

// All threads' together. Owned by the agent.
class ServerStatistics {
 public:
  // For a thread that begins; lives as long as this object.
  Statistics& thread() EXCLUDES(mutex_);
  // In CoreDNS's names and labels.
  void write(MetricsText& text) const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::deque<Statistics> threads_ GUARDED_BY(mutex_);
};

}  // namespace proa::dns
