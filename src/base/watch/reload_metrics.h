#pragma once

#include <string>

#include "base/metrics/labelled.h"
#include "base/threads/mutex.h"
#include "base/time.h"

namespace proa {

// Constants.
struct ReloadFamilies {
  MetricFamily reloads;   // a counter by status and apiserver_id_hash
  MetricFamily reloaded;  // a gauge by the same: when
  MetricFamily in_force;  // a gauge by apiserver_id_hash and hash: always 1
};

// What upstream counts of a configuration file that is reloaded. Thread-safe.
class ReloadMetrics {
 public:
  // REQUIRES: the families live as long as the program. Hashes are "sha256:...".
  ReloadMetrics(const ReloadFamilies& families, std::string server_hash);

  void reloaded(bool succeeded, Time now);
  // The configuration in force.
  void configured(std::string hash) EXCLUDES(mutex_);
  void write(MetricsText& text) const EXCLUDES(mutex_);

 private:
  const ReloadFamilies& families_;
  const std::string server_hash_;
  Labelled<Counter> reloads_;
  Labelled<Gauge> reloaded_;
  mutable Mutex mutex_;
  std::string hash_ GUARDED_BY(mutex_);  // empty: none is in force
};

}  // namespace proa
