#pragma once

#include "scheduler/framework/plugin.h"

namespace proa::scheduler {

// The decisions that the queue delegates to the profiles.
class QueuePolicy {
 public:
  virtual ~QueuePolicy() = default;
  virtual bool goes_before(const QueuedPod& a, const QueuedPod& b) const = 0;
  // The plugin that keeps the pod out of the queue; null if none does.
  virtual const Plugin* gate(const Pod& pod) const = 0;
};

}  // namespace proa::scheduler
