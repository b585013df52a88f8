#pragma once

#include <atomic>
#include <memory>

#include "apiserver/resources/call/context.h"
#include "base/threads/mutex.h"
#include "base/threads/pool.h"

namespace proa::apiserver {

// One round: ServiceCIDRs that are being deleted go, if no Service is left without a network by
// that; the others say why they stay. Returns whether there are such.
Result<bool> remove_unused_cidrs(const ApiContext& context);

// Does a round whenever a ServiceCIDR changes, and while one waits for its end, whenever an address
// does. Holds no thread. Upstream does this in a controller, with a delay, since its servers learn
// of a deletion by and by; here no address can be taken any more once the deletion is committed.
class CidrRemoval {
 public:
  // Everything outlives it.
  CidrRemoval(const ApiContext& context, WorkerPool& pool);
  // Waits for a round that is under way.
  ~CidrRemoval();
  CidrRemoval(const CidrRemoval&) = delete;
  CidrRemoval& operator=(const CidrRemoval&) = delete;

 private:
  struct State;
  // Shared with the pool's queue, where a call may lie for longer than this lives.
  const std::shared_ptr<State> state_;
};

}  // namespace proa::apiserver
