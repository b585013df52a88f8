#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "base/threads/poller.h"
#include "base/threads/pool.h"
#include "client/bounded_client.h"
#include "client/events/recorder.h"
#include "client/informer/informers.h"
#include "scheduler/bind/outbox.h"
#include "scheduler/bind/pod_report.h"
#include "scheduler/cycle/evaluations.h"
#include "scheduler/event_handlers.h"
#include "scheduler/framework/context.h"
#include "scheduler/framework/permits.h"
#include "scheduler/framework/profiles.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/nominations.h"
#include "scheduler/queue/scheduling_queue.h"

namespace proa::scheduler {

// What a scheduler is created with. Everything outlives it.
struct SchedulerContext {
  client::Client& client;  // as system:kube-scheduler
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  WorkerPool& pool;
};

struct SchedulerOptions {
  SchedulingQueue::Options queue = {};
  // At least one profile, each with a queue_sort and a Bind plugin.
  std::function<Result<std::vector<std::unique_ptr<Profile>>>(const PluginContext& context)>
      make_profiles = {};
  // Called with the duration of each decision, for benchmarks; may be null.
  std::function<void(Duration)> decided = {};
};

// Assigns pods to nodes. One thread, that of a Poller, receives events and decides; bindings are
// written on the pool.
class Scheduler final : public Pollable {
 public:
  static Result<std::unique_ptr<Scheduler>> make(const SchedulerContext& context,
                                                 const SchedulerOptions& options);
  // Stops it and waits for bindings in progress.
  ~Scheduler() override;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Fills the caches and starts scheduling on its own thread; false if `until` ends before that.
  bool start(const Until& until);
  void stop();
  // Instead of start(), for single-threaded use: processes pending events and schedules at most
  // that many pods. Returns how many were attempted.
  size_t step(size_t most = SIZE_MAX);
  // For step(): when the next pod is due; max: none.
  Steady next_due() const { return queue_.next_due(); }

  // For the Poller.
  Steady poll() override;
  void on_work(std::function<void()> wake) override { wake_ = std::move(wake); }

  const Cluster& cluster() const { return cluster_; }
  const SchedulingQueue& queue() const { return queue_; }

 private:
  // A finished binding attempt.
  struct Bound {
    const Profile* profile = nullptr;
    WaitingPtr waiting = {};
    PodPtr assumed = {};
    Result<void> outcome = {};
  };

  // A plugin's request for a waiting pod.
  struct PluginRequest {
    api::Uid uid = {};
    bool to_retry = false;  // otherwise only its gates are asked
  };

  Scheduler(const SchedulerContext& context, const SchedulerOptions& options);
  PluginContext plugin_context();
  void request_from_plugin(PluginRequest request) EXCLUDES(mutex_);

  void process_pool_results() EXCLUDES(mutex_);
  void binding_finished(Bound bound);
  // The pod's latest state; null if it is deleted or being deleted.
  PodPtr latest(const Pod& pod);
  size_t schedule(size_t most);
  void schedule_one(WaitingPtr waiting);
  std::optional<NodeIndex> find_node(const Pod& pod, Evaluation& evaluation);
  void found_none(const Profile& profile, WaitingPtr waiting, Evaluation& evaluation);
  void place(const Profile& profile, WaitingPtr waiting, NodeIndex node);
  void take_back(const Profile& profile, const Pod& assumed);
  void start_binding(const Profile& profile, WaitingPtr waiting, PodPtr assumed, Duration wait);
  Result<void> bind(const Profile& profile, const Pod& assumed, Duration wait);

  // Puts the pod back as Unschedulable, with the plugins that rejected it.
  void rejected(WaitingPtr waiting, std::vector<const Plugin*> by, PodReport report);
  // Puts the pod back after an error (SchedulerError).
  void failed(WaitingPtr waiting, const std::string& message);
  void tell(const PodPtr& pod, PodReport report);

  const SchedulerContext context_;
  const std::function<void(Duration)> decided_;
  std::stop_source stopping_;
  const client::BoundedClient client_;
  const api::Resource& pods_;
  // Outlive everything that calls from other threads: informers, evictions, bindings.
  Poller poller_;
  std::function<void()> wake_ = [] {};
  Mutex mutex_;
  std::vector<Bound> bound_ GUARDED_BY(mutex_);
  std::vector<PluginRequest> plugin_requests_ GUARDED_BY(mutex_);
  client::Informers informers_;
  client::EventRecorder events_;
  Cluster cluster_;
  Nominations nominations_{[this](api::NodeNameView node) { cluster_.touch(node); }};
  Permits permits_;
  Profiles profiles_;
  SchedulingQueue queue_;
  Evaluations evaluations_;
  EventHandlers event_handlers_;
  Outbox outbox_;
  bool filled_ = false;
};

}  // namespace proa::scheduler
