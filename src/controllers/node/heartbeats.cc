#include "controllers/node/heartbeats.h"

#include <algorithm>

#include "base/check.h"

namespace proa::controllers::nodes {

void SignsOfLife::renewed(const std::string& node, std::string_view renew_time) {
  MutexLock lock(mutex_);
  const auto [found, is_new] = signs_.try_emplace(node);
  Signs& signs = found->second;
  // Times are stored in one form, so that their texts compare as they do.
  if (!is_new && signs.renew_time >= renew_time) return;
  signs.renew_time = renew_time;
  signs.last = clock_.steady();
}

void SignsOfLife::lease_gone(const std::string& node) {
  MutexLock lock(mutex_);
  const auto found = signs_.find(node);
  if (found != signs_.end() && !found->second.looked_at) signs_.erase(found);
}

void SignsOfLife::looked_at(const std::string& node, const NodeFacts& facts) {
  const bool has_status = facts.ready != NodeReady::kAbsent;
  const Steady now = clock_.steady();
  MutexLock lock(mutex_);
  Signs& signs = signs_[node];
  if (!signs.looked_at && !has_status) {
    // Nothing was ever posted: its time runs from the day it was made.
    const Duration age = std::max(Duration::zero(), clock_.now() - facts.created);
    signs.last = std::max(signs.last, now - age);
  } else if (!signs.looked_at || signs.has_status != has_status ||
             signs.heartbeat != facts.heartbeat) {
    signs.last = now;
  }
  signs.looked_at = true;
  signs.has_status = has_status;
  signs.heartbeat = facts.heartbeat;
}

Steady SignsOfLife::last(const std::string& node) const {
  MutexLock lock(mutex_);
  const auto found = signs_.find(node);
  CHECK(found != signs_.end());
  return found->second.last;
}

void SignsOfLife::begin_anew() {
  const Steady now = clock_.steady();
  MutexLock lock(mutex_);
  for (auto& [node, signs] : signs_) signs.last = now;
}

void SignsOfLife::forget(const std::string& node) {
  MutexLock lock(mutex_);
  signs_.erase(node);
}

}  // namespace proa::controllers::nodes
