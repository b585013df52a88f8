#pragma once

#include "base/metrics/metrics.h"
#include "dns/config/settings.h"
#include "dns/message/types.h"

namespace proa::dns {

class Cache;

// The metrics of CoreDNS's plugins cache and forward, with their labels. Thread-safe.
class ForwardMetrics {
 public:
  // Both outlive it, and `metrics` is not asked for its text after `cache` is gone.
  ForwardMetrics(Metrics& metrics, const Cache& cache);

  Counter& requests;
  Counter& hits;
  Counter& negative_hits;
  Counter& misses;
  Counter& prefetches;
  Counter& served_stale;
  Counter& rejected;  // more queries than max_concurrent
  Counter& all_down;

  void answered(const Upstream& upstream, Rcode rcode, Duration took);
  void probe_failed(const Upstream& upstream);

 private:
  Metrics& metrics_;
};

}  // namespace proa::dns
