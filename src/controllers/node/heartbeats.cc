#include "controllers/node/heartbeats.h"

#include <algorithm>

#include "base/check.h"

namespace proa::controllers::nodes {

void Heartbeats::renewed(const std::string& node, std::string_view renew_time) {
  MutexLock lock(mutex_);
  const auto [found, is_new] = heartbeats_.try_emplace(node);
  NodeHeartbeat& state = found->second;
  // RFC 3339 times compare as text.
  if (!is_new && state.renew_time >= renew_time) return;
  state.renew_time = renew_time;
  state.last = clock_.steady();
}

void Heartbeats::lease_gone(const std::string& node) {
  MutexLock lock(mutex_);
  const auto found = heartbeats_.find(node);
  if (found != heartbeats_.end() && !found->second.observed) heartbeats_.erase(found);
}

void Heartbeats::observe(const std::string& node, const NodeFacts& facts) {
  const bool has_status = facts.ready != NodeReady::kAbsent;
  const Steady now = clock_.steady();
  MutexLock lock(mutex_);
  NodeHeartbeat& state = heartbeats_[node];
  if (!state.observed && !has_status) {
    // No status was posted yet: the grace period starts at creation.
    const Duration age = std::max(Duration::zero(), clock_.now() - facts.created);
    state.last = std::max(state.last, now - age);
  } else if (!state.observed || state.has_status != has_status ||
             state.heartbeat != facts.heartbeat) {
    state.last = now;
  }
  state.observed = true;
  state.has_status = has_status;
  state.heartbeat = facts.heartbeat;
}

Steady Heartbeats::last(const std::string& node) const {
  MutexLock lock(mutex_);
  const auto found = heartbeats_.find(node);
  CHECK(found != heartbeats_.end());
  return found->second.last;
}

void Heartbeats::restart() {
  const Steady now = clock_.steady();
  MutexLock lock(mutex_);
  for (auto& [node, state] : heartbeats_) state.last = now;
}

void Heartbeats::forget(const std::string& node) {
  MutexLock lock(mutex_);
  heartbeats_.erase(node);
}

}  // namespace proa::controllers::nodes
