#pragma once

#include <array>

#include "base/metrics/metrics.h"
#include "proxy/model/service_port.h"

namespace proa::proxy {

enum class Mode : uint8_t { kNftables, kIptables };

// "nftables", "iptables"
std::string_view name_of(Mode mode);

// What the proxy counts, with the names of upstream's kube-proxy. Thread-safe.
class ProxyMetrics {
  Metrics all_;  // before the references to what it holds

 public:
  explicit ProxyMetrics(Mode mode);

  struct PerFamily {
    Histogram& sync;          // of any kind
    Histogram& whole_sync;    // that wrote everything
    Histogram& partial_sync;  // that wrote what changed
    Gauge& last_sync;
    Gauge& last_queued;
    Histogram& programming;  // from the cause of a change of endpoints to its rules
    Gauge& no_local_internal;
    Gauge& no_local_external;
    Counter& failures;
    Counter& partial_failures;  // of iptables; of nftables: of clean-ups
    Histogram& flows;           // clean-up of connection tracking
    Counter& flows_removed;
  };
  PerFamily& of(Family family) { return families_[static_cast<size_t>(family)]; }

  Counter& service_changes;
  Gauge& service_changes_pending;
  Counter& endpoint_changes;
  Gauge& endpoint_changes_pending;

  void count_rules(Family family, std::string_view table, int64_t total, int64_t last);
  void answered_healthz(int code);
  void answered_livez(int code);

  std::string text() const { return all_.text(); }

 private:
  static PerFamily make(Metrics& all, Mode mode, Family family);

  std::array<PerFamily, 2> families_;
};

}  // namespace proa::proxy
