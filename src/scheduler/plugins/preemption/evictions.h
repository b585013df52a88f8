#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "base/threads/mutex.h"
#include "scheduler/bind/outbox.h"
#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Evicts victims on the pool. Thread-safe.
class Evictions {
 public:
  explicit Evictions(const PluginContext& context);
  Evictions(const Evictions&) = delete;
  Evictions& operator=(const Evictions&) = delete;

  // The pod is not retried until all deletions were sent; then it waits for the victims to
  // terminate, or is retried at once if a deletion failed.
  void begin(const PodPtr& pod, std::string_view node, const std::vector<PodPtr>& victims)
      EXCLUDES(mutex_);
  // Clears nominatedNodeName in the pod's status.
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
  Outbox outbox_;  // its destructor waits for running writes
};

}  // namespace proa::scheduler
