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
#include "client/bounded_client.h"
#include "client/events/recorder.h"
#include "client/informer/informers.h"
#include "scheduler/framework/permits.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/nominations.h"

namespace proa::scheduler {

// What plugins are created with. Everything outlives them.
struct PluginContext {
  client::BoundedClient client;  // as the scheduler
  client::Informers& informers;  // polled on the scheduler's thread; caches may be read anywhere
  client::EventRecorder& events;
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  WorkerPool& pool;
  Cluster& cluster;
  Nominations& nominations;
  Permits& permits;
  // Moves a waiting pod to the active queue; from any thread.
  std::function<void(api::Uid uid)> retry;
  // Asks the pod's gates (PreEnqueue) again; from any thread.
  std::function<void(api::Uid uid)> ask_gate = {};
};

// One line of the table of plugins.
struct PluginEntry {
  std::string_view name;
  // `args`: from pluginConfig in KubeSchedulerConfiguration, absent if it has none. Invalid args
  // are a kBadRequest.
  Result<std::unique_ptr<Plugin>> (*make)(const PluginContext& context, api::View args);
  int32_t weight = 0;      // of its scores, in the default profile; zero for plugins without scores
  bool is_default = true;  // part of the default profile
};

}  // namespace proa::scheduler
