#pragma once

#include <memory>

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// PodTopologySpread: spreads pods over zones and hosts by topologySpreadConstraints, or by default
// constraints for pods without any.
Result<std::unique_ptr<Plugin>> make_pod_topology_spread(const PluginContext& context,
                                                         api::View args);

}  // namespace proa::scheduler
