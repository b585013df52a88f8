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

// A scheduler over an in-memory API server, on the test's thread and a clock that stands still:
// deterministic.
class SchedulerWorld {
 public:
  struct Options {
    // A KubeSchedulerConfiguration; empty: the default one.
    std::string config = {};
    // Controllers to run as well.
    std::vector<std::string_view> controllers = {};
    uint64_t seed = 1;
  };
  // Called before each write of the scheduler: "create pods/binding default/a". A failure is
  // returned to the scheduler instead of executing the write.
  using Fault = std::function<Result<void>(std::string_view write)>;

  SchedulerWorld() : SchedulerWorld(Options{}) {}
  explicit SchedulerWorld(Options options);
  ~SchedulerWorld();

  // As the administrator. A node gets its taints and its status; a pod with a priority gets a class
  // of that priority, and a status if it has more than a phase.
  void add(const NodeBuilder& node);
  void add(const PodBuilder& pod);
  void add(const BudgetBuilder& budget);
  // Deletes a pod immediately, as a kubelet does at the end of a deletion.
  void remove_pod(std::string_view name);
  // Deletes a pod gracefully.
  void delete_pod(std::string_view name);
  TestWorld& api() { return api_; }

  // The current state of a pod in "default".
  api::ObjectPtr pod(std::string_view name) { return api_.get("", "pods", "default", name); }
  // Empty: none.
  std::string node_of(std::string_view name);
  std::string nominated(std::string_view name);
  bool is_terminating(std::string_view name);
  // "False Unschedulable: message"; "none" if there is no such condition, "gone" without a pod.
  std::string condition(std::string_view name, std::string_view type = "PodScheduled");
  // "Warning FailedScheduling: message" of events about that object, sorted, one per line.
  std::string events(std::string_view about);

  // Runs until there is no work left. Returns the number of scheduling attempts.
  size_t settle();
  // Advances the time; due work runs at its time.
  void pass(Duration time);
  // Kills the scheduler, with its assumed pods, and starts another.
  void restart();
  void set_fault(Fault fault) { fault_ = std::move(fault); }
  // The scheduler's writes so far, except for Events.
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
