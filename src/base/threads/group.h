#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/pool.h"

namespace proa {

// Runs several tasks on a pool and waits for all of them. The first failure is the group's; it asks
// the other tasks to stop. Used by one thread. The waiting thread works, too: it runs tasks that no
// pool thread has taken, so a full pool delays a group, but never blocks it.
class Group {
 public:
  using Task = std::function<Result<void>(std::stop_token)>;

  Group(WorkerPool& pool, Clock& clock);
  // Asks tasks to stop and waits for them: they may use what their caller owns.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void run(Task task);

  // Waits until every task has finished; returns their first failure. kTimeout if `until` ends
  // first: tasks are asked to stop, and those not started are dropped.
  Result<void> wait(const Until& until = {});

 private:
  struct State;

  WorkerPool& pool_;
  Clock& clock_;
  // Shared with the pool's queue, whose entries may outlive the group.
  std::shared_ptr<State> state_;
};

}  // namespace proa
