#pragma once

#include <atomic>

#include "base/limits/log_limit.h"
#include "base/net/ip_address.h"
#include "dns/message/query.h"

namespace proa::dns {

// A line of the log for each answer, if it is switched on. Bounded: pods ask as often as they like,
// and must not fill the disk. Thread-safe.
class QueryLog {
 public:
  explicit QueryLog(const Clock& clock);

  void set_enabled(bool enabled) { enabled_ = enabled; }
  bool enabled() const { return enabled_.load(std::memory_order_relaxed); }

  void write(const Query& query, const IpAddress& client, ByteSpan response, Duration took);

 private:
  std::atomic<bool> enabled_ = false;
  LogLimit limit_;
};

}  // namespace proa::dns
