#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "base/threads/poller.h"
#include "base/threads/pool.h"
#include "client/client.h"
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

// What a scheduler is made with. Everything outlives it.
struct Surroundings {
  client::Client& client;  // as system:kube-scheduler
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  WorkerPool& pool;
};

struct SchedulerOptions {
  SchedulingQueue::Options queue = {};
  // At least one, each with a queue_sort and something that binds.
  std::function<Result<std::vector<std::unique_ptr<Profile>>>(const PluginContext& context)>
      make_profiles = {};
  // Told how long each decision took, for who measures; may be null.
  std::function<void(Duration)> decided = {};
};

// Gives pods without a node one. One thread, that of a Poller, hears of changes and decides;
// bindings are written on the pool meanwhile.
class Scheduler final : public Pollable {
 public:
  static Result<std::unique_ptr<Scheduler>> make(const Surroundings& surroundings,
                                                 const SchedulerOptions& options);
  // Stops it, and waits for the bindings that are being written.
  ~Scheduler() override;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Fills the caches, then begins, on a thread of its own; false when `until` came before that.
  bool start(const Until& until);
  void stop();
  // Instead of start(), for who runs everything on one thread: hears what there is to hear, and
  // decides about as many pods. How many it looked at.
  size_t step(size_t most = SIZE_MAX);
  // For step(): when it has something to do by itself; max: never.
  Steady next_due() const { return queue_.next_due(); }

  // For the Poller.
  Steady poll() override;
  void on_work(std::function<void()> wake) override { wake_ = std::move(wake); }

  const Cluster& cluster() const { return cluster_; }
  const SchedulingQueue& queue() const { return queue_; }

 private:
  // A binding that was tried.
  struct Bound {
    const Profile* profile = nullptr;
    WaitingPtr waiting = {};
    PodPtr assumed = {};
    Result<void> outcome = {};
  };

  // What a plugin wants for a pod that waits.
  struct Wish {
    std::string uid = {};
    bool to_retry = false;  // else only a gate is to be asked
  };

  Scheduler(const Surroundings& surroundings, const SchedulerOptions& options);
  PluginContext context();
  void wish(Wish wish) EXCLUDES(mutex_);

  void hear_the_pool() EXCLUDES(mutex_);
  void hear_of_binding(Bound bound);
  // As it was heard of last; null: it is gone, or on its way.
  PodPtr latest(const Pod& pod);
  size_t schedule(size_t most);
  void schedule_one(WaitingPtr waiting);
  std::optional<NodeIndex> find_node(const Pod& pod, Evaluation& evaluation);
  void found_none(const Profile& profile, WaitingPtr waiting, Evaluation& evaluation);
  void place(const Profile& profile, WaitingPtr waiting, NodeIndex node);
  void take_back(const Profile& profile, const Pod& assumed);
  void start_binding(const Profile& profile, WaitingPtr waiting, PodPtr assumed, Duration wait);
  Result<void> bind(const Profile& profile, const Pod& assumed, Duration wait);

  // Puts the pod back, and says why: Unschedulable, with those who rejected it.
  void rejected(WaitingPtr waiting, std::vector<const Plugin*> by, PodReport report);
  // SchedulerError.
  void failed(WaitingPtr waiting, const std::string& message);
  void tell(const PodPtr& pod, PodReport report);

  const Surroundings surroundings_;
  const std::function<void(Duration)> decided_;
  const api::Resource& pods_;
  // Outlive all who tell of something from other threads: informers, evictions, bindings.
  Poller poller_;
  std::function<void()> wake_ = [] {};
  std::stop_source stopping_;
  Mutex mutex_;
  std::vector<Bound> bound_ GUARDED_BY(mutex_);
  std::vector<Wish> wishes_ GUARDED_BY(mutex_);
  client::Informers informers_;
  client::EventRecorder events_;
  Cluster cluster_;
  Nominations nominations_{[this](std::string_view node) { cluster_.touch(node); }};
  Permits permits_;
  Profiles profiles_;
  SchedulingQueue queue_;
  Evaluations evaluations_;
  Feed feed_;
  Outbox outbox_;
  bool filled_ = false;
};

}  // namespace proa::scheduler
