#include "proxy/changes/tracker.h"

#include <algorithm>
#include <tuple>

namespace proa::proxy {
namespace tracker {

auto place_of(const ServicePort& port) { return std::tie(port.family, port.name); }

// Both are in the same order. Ports that are equal keep the object that modes know.
std::vector<ServicePortPtr> merge(const std::vector<ServicePortPtr>& before,
                                  std::vector<ServicePort> wanted, std::vector<Change>& changes) {
  std::vector<ServicePortPtr> after;
  after.reserve(wanted.size());
  auto old = before.begin();
  for (ServicePort& port : wanted) {
    for (; old != before.end() && place_of(**old) < place_of(port); ++old) {
      changes.push_back({.before = *old, .after = nullptr});
    }
    const bool known = old != before.end() && place_of(**old) == place_of(port);
    if (known && **old == port) {
      after.push_back(*old++);
      continue;
    }
    after.push_back(std::make_shared<const ServicePort>(std::move(port)));
    changes.push_back({.before = known ? *old++ : nullptr, .after = after.back()});
  }
  for (; old != before.end(); ++old) changes.push_back({.before = *old, .after = nullptr});
  return after;
}

}  // namespace tracker

void Tracker::update(const client::Key& key, ServiceState state, std::vector<Change>& changes) {
  if (state.health_check_port == 0) {
    health_.erase(key);
  } else {
    // IPv4 comes first.
    health_[key] = {.port = state.health_check_port,
                    .local_ready = state.local_ready,
                    .families = {state.ports.front().family == Family::kV4,
                                 state.ports.back().family == Family::kV6}};
  }
  if (state.ports.empty() && !services_.contains(key)) return;
  Entry& entry = services_[key];
  size_ -= entry.ports.size();
  entry.ports = tracker::merge(entry.ports, std::move(state.ports), changes);
  size_ += entry.ports.size();
  for (size_t family = 0; family < triggers_.size(); ++family) {
    Time latest = entry.triggers[family];
    for (const Time trigger : state.triggers[family]) {
      if (trigger <= entry.triggers[family]) continue;
      triggers_[family].push_back(trigger);
      latest = std::max(latest, trigger);
    }
    entry.triggers[family] = latest;
  }
  if (entry.ports.empty()) services_.erase(key);
}

std::vector<ServicePortPtr> Tracker::all() const {
  std::vector<ServicePortPtr> ports;
  ports.reserve(size_);
  for (const auto& [key, entry] : services_) {
    ports.insert(ports.end(), entry.ports.begin(), entry.ports.end());
  }
  return ports;
}

}  // namespace proa::proxy
