#include "controllers/network/trigger_times.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "controllers/network/service_facts.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers {

TriggerTimes::PodTimes TriggerTimes::times_of(std::span<const api::ObjectPtr> pods) {
  PodTimes times;
  times.reserve(pods.size());
  for (const api::ObjectPtr& pod : pods) {
    const std::optional<Time> time = pod_facts(*pod).ready_since;
    if (time) times.emplace_back(std::hash<std::string_view>()(pod->metadata().name), *time);
  }
  std::sort(times.begin(), times.end());
  return times;
}

std::optional<Time> TriggerTimes::earliest_change(const Seen& before, const Seen& now) {
  std::optional<Time> earliest;
  if (now.service > before.service) earliest = now.service;
  auto old = before.pods.begin();
  for (const auto& [pod, time] : now.pods) {
    while (old != before.pods.end() && old->first < pod) ++old;
    const bool known = old != before.pods.end() && old->first == pod;
    if (known && time <= old->second) continue;
    if (!earliest || time < *earliest) earliest = time;
  }
  return earliest;
}

std::optional<Time> TriggerTimes::next(const api::Object& service,
                                       std::span<const api::ObjectPtr> pods) {
  Seen now{service_facts(service).created, times_of(pods)};
  MutexLock lock(mutex_);
  const auto [found, is_new] = seen_.try_emplace(client::Key::of(service));
  const std::optional<Time> time =
      is_new ? std::optional(now.service) : earliest_change(found->second, now);
  found->second = std::move(now);
  return time;
}

void TriggerTimes::forget(const client::Key& service) {
  MutexLock lock(mutex_);
  seen_.erase(service);
}

}  // namespace proa::controllers
