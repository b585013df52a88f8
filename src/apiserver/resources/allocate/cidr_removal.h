#pragma once

#include <atomic>
#include <memory>

#include "apiserver/resources/call/context.h"
#include "base/threads/mutex.h"
#include "base/threads/pool.h"

namespace proa::apiserver {

// Finishes the deletion of terminating ServiceCIDRs that no Service needs; sets a condition on the
// others. Returns whether there are others.
Result<bool> remove_unused_cidrs(const ApiContext& context);

// Calls remove_unused_cidrs() when a ServiceCIDR changes, and while one is terminating also when an
// IPAddress changes. Uses no thread of its own. Upstream does this in a controller with a delay,
// because its servers observe a deletion asynchronously; here no address can be allocated once the
// deletion is committed.
class CidrRemoval {
 public:
  // All arguments outlive it.
  CidrRemoval(const ApiContext& context, WorkerPool& pool);
  // Waits for a round in progress.
  ~CidrRemoval();
  CidrRemoval(const CidrRemoval&) = delete;
  CidrRemoval& operator=(const CidrRemoval&) = delete;

 private:
  struct State;
  // Shared with queued pool tasks, which may outlive this.
  const std::shared_ptr<State> state_;
};

}  // namespace proa::apiserver
