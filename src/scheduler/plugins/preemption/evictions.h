#pragma once

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
  void begin(const PodPtr& pod, api::NodeNameView node, const std::vector<PodPtr>& victims)
      EXCLUDES(mutex_);
  // Clears nominatedNodeName in the pod's status.
  void end_nomination(const PodPtr& pod) EXCLUDES(mutex_);
  bool is_under_way(api::UidView uid) const EXCLUDES(mutex_);

 private:
  struct Batch;

  Result<void> evict(const Pod& pod, api::NodeNameView node, const Pod& victim);
  void finish(const Batch& batch) EXCLUDES(mutex_);

  const PluginContext context_;
  const api::Resource& pods_;
  mutable Mutex mutex_;
  std::unordered_set<api::Uid, api::NameHash, std::equal_to<>> under_way_
      GUARDED_BY(mutex_);  // preempting pods
  Outbox outbox_;          // its destructor waits for running writes
};

}  // namespace proa::scheduler
