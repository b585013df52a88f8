#pragma once

#include <memory>

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Spreads pods over zones, hosts and the like: topologySpreadConstraints, and what stands in for
// them in pods that have none.
Result<std::unique_ptr<Plugin>> make_pod_topology_spread(const PluginContext& context,
                                                         api::View args);

}  // namespace proa::scheduler
