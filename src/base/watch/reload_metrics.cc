#include "base/watch/reload_metrics.h"

#include <array>

namespace proa {

ReloadMetrics::ReloadMetrics(const ReloadFamilies& families, std::string server_hash)
    : families_(families),
      server_hash_(std::move(server_hash)),
      reloads_(families.reloads),
      reloaded_(families.reloaded) {}

void ReloadMetrics::reloaded(bool succeeded, Time now) {
  const std::string_view status = succeeded ? "success" : "failure";
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  reloads_.at({status, server_hash_}).add();
  reloaded_.at({status, server_hash_}).set(seconds.count());
}

void ReloadMetrics::configured(std::string hash) {
  MutexLock lock(mutex_);
  hash_ = std::move(hash);
}

void ReloadMetrics::write(MetricsText& text) const {
  reloads_.write(text);
  reloaded_.write(text);
  MutexLock lock(mutex_);
  if (hash_.empty()) return;
  text.begin(families_.in_force);
  const std::array<std::string_view, 2> labels{server_hash_, hash_};
  text.add(labels, int64_t{1});
}

}  // namespace proa
