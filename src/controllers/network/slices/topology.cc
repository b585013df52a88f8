#include "controllers/network/slices/topology.h"

#include <utility>

namespace proa::controllers {

void Topology::set_nodes(std::span<const api::ObjectPtr> nodes) {
  Ratios ratios = std::make_shared<const std::optional<ZoneRatios>>(zone_ratios(nodes));
  MutexLock lock(mutex_);
  ratios_ = std::move(ratios);
}

Topology::Ratios Topology::ratios() const {
  MutexLock lock(mutex_);
  return ratios_;
}

std::vector<client::Key> Topology::overloaded() const {
  MutexLock lock(mutex_);
  std::vector<client::Key> found;
  for (const auto& [service, divided] : services_) {
    for (const auto& [family, counts] : divided.counts) {
      if (!is_overloaded(counts, *ratios_)) continue;
      found.push_back(service);
      break;
    }
  }
  return found;
}

bool Topology::divided(const client::Key& service, IpFamily family, ZoneCounts counts) {
  MutexLock lock(mutex_);
  Divided& divided = services_[service];
  divided.counts[family] = std::move(counts);
  divided.problems.erase(family);
  return !std::exchange(divided.hinted, true);
}

bool Topology::undivided(const client::Key& service, IpFamily family) {
  MutexLock lock(mutex_);
  const auto found = services_.find(service);
  if (found == services_.end()) return false;
  Divided& divided = found->second;
  const bool was_hinted = std::exchange(divided.hinted, false);
  divided.counts.erase(family);
  divided.problems.erase(family);
  if (divided.counts.empty() && divided.problems.empty()) services_.erase(found);
  return was_hinted;
}

bool Topology::is_news(const client::Key& service, IpFamily family, const std::string& problem) {
  MutexLock lock(mutex_);
  Divided& divided = services_[service];
  divided.counts.erase(family);
  divided.hinted = false;
  return std::exchange(divided.problems[family], problem) != problem;
}

void Topology::forget(const client::Key& service) {
  MutexLock lock(mutex_);
  services_.erase(service);
}

}  // namespace proa::controllers
