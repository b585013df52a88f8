#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/scheduler.h"
#include "testkit/controllers/test_world.h"
#include "testkit/scheduler/builders.h"

namespace proa::testkit {

// A scheduler over an API server in memory, both on the test's own thread and on a clock that
// stands still: what happens is the same in every run.
class SchedulerWorld {
 public:
  struct Options {
    // A KubeSchedulerConfiguration; empty: the default one.
    std::string config = {};
    // Controllers that run beside it.
    std::vector<std::string_view> controllers = {};
    uint64_t seed = 1;
  };
  // One write of the scheduler, before it is done: "create pods/binding default/a". What comes back
  // is what the scheduler is told instead, if it is not a success.
  using Fault = std::function<Result<void>(std::string_view write)>;

  SchedulerWorld() : SchedulerWorld(Options{}) {}
  explicit SchedulerWorld(Options options);
  ~SchedulerWorld();

  // As the administrator. A node gets its taints and its status; a pod that has a priority gets a
  // class of that priority, and a status if it has more than a phase.
  void add(const NodeBuilder& node);
  void add(const PodBuilder& pod);
  void add(const BudgetBuilder& budget);
  // A kubelet is done with a pod that is being deleted; or nobody asks a kubelet.
  void remove_pod(std::string_view name);
  // As people do it: gracefully.
  void delete_pod(std::string_view name);
  TestWorld& api() { return api_; }

  // What a pod of "default" says of itself now.
  api::ObjectPtr pod(std::string_view name) { return api_.get("", "pods", "default", name); }
  // Empty: it has none.
  std::string node_of(std::string_view name);
  std::string nominated(std::string_view name);
  bool is_terminating(std::string_view name);
  // "False Unschedulable: message"; "none" when there is no such condition, "gone" without a pod.
  std::string condition(std::string_view name, std::string_view type = "PodScheduled");
  // "Warning FailedScheduling: message", of events about that object, in the order of the alphabet,
  // each with a line's end.
  std::string events(std::string_view about);

  // Until nobody has anything to do. How many pods were looked at.
  size_t settle();
  // Time passes: what is due meanwhile is done when it is due.
  void pass(Duration time);
  // The scheduler is killed, with all that it assumed, and another one begins.
  void restart();
  void set_fault(Fault fault) { fault_ = std::move(fault); }
  // The scheduler's writes so far, but Events.
  const std::vector<std::string>& writes() const { return writes_; }

  scheduler::Scheduler& scheduler() { return *scheduler_; }

 private:
  class WatchedClient;

  void start();
  std::string class_for(api::View spec);

  const Options options_;
  TestWorld api_;
  SeededRandom random_;
  WorkerPool pool_{{.max_threads = 0}};
  Fault fault_;
  std::vector<std::string> writes_;
  std::unique_ptr<WatchedClient> client_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
};

}  // namespace proa::testkit
