#pragma once

#include <memory>
#include <string_view>

#include "client/events/recorder.h"
#include "client/informer/informers.h"
#include "scheduler/config/scheduler_config.h"
#include "scheduler/event_handlers.h"
#include "scheduler/explain/snapshot_client.h"
#include "scheduler/plugins/preemption/budgets.h"
#include "scheduler/scheduler.h"

namespace proa::scheduler {

// A scheduler's state and plugins at one moment, without the part that schedules. For one thread.
class SchedulerSnapshot {
 public:
  // Fails if the configuration is invalid or a resource cannot be listed.
  static Result<std::unique_ptr<SchedulerSnapshot>> make(const SchedulerContext& context,
                                                         const SchedulerConfig& config);

  // Null if it does not exist.
  PodPtr find(std::string_view name_space, std::string_view name);
  // Null if no profile has its schedulerName.
  const Profile* profile_of(const Pod& pod) const {
    return profiles_.find(pod.shape->scheduler_name);
  }
  Cluster& cluster() { return cluster_; }
  const Nominations& nominations() const { return nominations_; }
  const Budgets& budgets() const { return budgets_; }

 private:
  explicit SchedulerSnapshot(const SchedulerContext& context);
  PluginContext plugin_context(const SchedulerContext& context);

  SnapshotClient client_;
  WorkerPool pool_{{.max_threads = 0}};  // unused
  client::Informers informers_;
  client::EventRecorder events_;
  Budgets budgets_;
  Cluster cluster_;
  Nominations nominations_;
  Permits permits_;
  Profiles profiles_;
  SchedulingQueue queue_;
  EventHandlers event_handlers_;
};

}  // namespace proa::scheduler
