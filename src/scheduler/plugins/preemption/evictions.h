#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "base/threads/mutex.h"
#include "scheduler/bind/outbox.h"
#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Takes victims away, on the pool. Safe to use from any thread.
class Evictions {
 public:
  explicit Evictions(const PluginContext& context);
  Evictions(const Evictions&) = delete;
  Evictions& operator=(const Evictions&) = delete;

  // Until all of them were told to go the pod is not tried; then when they are gone, or at once if
  // one could not be told.
  void begin(const PodPtr& pod, std::string_view node, const std::vector<PodPtr>& victims)
      EXCLUDES(mutex_);
  // No room is made for the pod any more: its status is to say so.
  void end_nomination(const PodPtr& pod) EXCLUDES(mutex_);
  bool is_under_way(std::string_view uid) const EXCLUDES(mutex_);

 private:
  struct Batch;

  Result<void> evict(const Pod& pod, const std::string& node, const Pod& victim);
  void finish(const Batch& batch) EXCLUDES(mutex_);

  const PluginContext context_;
  const api::Resource& pods_;
  mutable Mutex mutex_;
  std::unordered_set<std::string> under_way_ GUARDED_BY(mutex_);  // pods that wait, by uid
  Outbox outbox_;  // waits at its end for those that run
};

}  // namespace proa::scheduler
