#pragma once

#include <string_view>
#include <vector>

#include "base/metrics/metrics.h"
#include "base/threads/mutex.h"
#include "base/time.h"
#include "dns/config/settings.h"

namespace proa::dns {

// What CoreDNS's metrics say of a configuration: which plugins it would use, the configured hosts,
// configurations that were not taken. Thread-safe.
class SettingsMetrics {
 public:
  // REQUIRES: it outlives what asks `metrics` for their text.
  explicit SettingsMetrics(Metrics& metrics);

  // These settings are used from now on.
  void applied(const Settings& settings, Time now) EXCLUDES(mutex_);
  // A configuration with errors is not used.
  void failed() { failed_.add(); }

 private:
  void write(MetricsText& text) const EXCLUDES(mutex_);

  Counter& failed_;
  Gauge& hosts_;
  Gauge& hosts_time_;
  mutable Mutex mutex_;
  std::vector<std::string_view> plugins_ GUARDED_BY(mutex_);
  HostsSettings last_hosts_ GUARDED_BY(mutex_);
};

}  // namespace proa::dns
