#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// NodeAffinity: node selectors and node affinity. Args: NodeAffinityArgs, which may add affinity to
// all pods of the profile.
Result<std::unique_ptr<Plugin>> make_node_affinity(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
