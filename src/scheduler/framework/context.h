#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "api/object/view.h"
#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "base/threads/pool.h"
#include "client/client.h"
#include "client/events/recorder.h"
#include "client/informer/informers.h"
#include "scheduler/framework/permits.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/nominations.h"

namespace proa::scheduler {

// What plugins are made with. Everything outlives them.
struct PluginContext {
  client::Client& client;        // as the scheduler
  client::Informers& informers;  // polled on the scheduler's thread; caches may be read anywhere
  client::EventRecorder& events;
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  WorkerPool& pool;
  Cluster& cluster;
  Nominations& nominations;
  Permits& permits;
  // Has a pod that waits tried again; from any thread.
  std::function<void(std::string uid)> retry;
  // A gate that the plugin keeps may be open for the pod; from any thread.
  std::function<void(std::string uid)> ask_gate = {};
};

// One line of the table of plugins. `args`: of KubeSchedulerConfiguration's pluginConfig, absent
// where it has none; what they get wrong is a kBadRequest.
struct PluginEntry {
  std::string_view name;
  Result<std::unique_ptr<Plugin>> (*make)(const PluginContext& context, api::View args);
};

}  // namespace proa::scheduler
