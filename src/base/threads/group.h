#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/pool.h"

namespace proa {

// Several tasks at once on a pool, and one place that waits for all of them. The first failure is
// the group's; it asks the other tasks to stop. Used by one thread. Who waits works too: tasks that
// no thread of the pool took yet run right there, so a full pool delays a group, but never blocks
// it.
class Group {
 public:
  using Task = std::function<Result<void>(std::stop_token)>;

  Group(WorkerPool& pool, Clock& clock);
  // Asks tasks to stop, and waits until they did: they may use what their caller owns.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void run(Task task);

  // Until every task has ended: their first failure, if there was one. kTimeout when the time comes
  // first or the wait is called off; tasks are asked to stop then, and those not begun are dropped.
  Result<void> wait(const Until& until = {});

 private:
  struct State;

  WorkerPool& pool_;
  Clock& clock_;
  // Shared with the pool's queue, where a call may lie for longer than the group lives.
  std::shared_ptr<State> state_;
};

}  // namespace proa
