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

// All that a scheduler knows at a moment, and its plugins, without the part that acts. For one
// thread.
class Onlooker {
 public:
  // Fails with what is wrong with the configuration, or with why something can't be read.
  static Result<std::unique_ptr<Onlooker>> make(const Surroundings& surroundings,
                                                const SchedulerConfig& config);

  // Null when there is none.
  PodPtr find(std::string_view name_space, std::string_view name);
  // Null when nobody here is meant.
  const Profile* profile_of(const Pod& pod) const {
    return profiles_.find(pod.shape->scheduler_name);
  }
  Cluster& cluster() { return cluster_; }
  const Nominations& nominations() const { return nominations_; }
  const Budgets& budgets() const { return budgets_; }

 private:
  explicit Onlooker(const Surroundings& surroundings);
  PluginContext context(const Surroundings& surroundings);

  SnapshotClient client_;
  WorkerPool pool_{{.max_threads = 0}};  // nobody has work for it
  client::Informers informers_;
  client::EventRecorder events_;
  Budgets budgets_;
  Cluster cluster_;
  Nominations nominations_;
  Permits permits_;
  Profiles profiles_;
  SchedulingQueue queue_;
  Feed feed_;
};

}  // namespace proa::scheduler
