#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Which nodes a pod selects and prefers by labels and names. Args: NodeAffinityArgs; what they add
// holds for every pod of the profile.
Result<std::unique_ptr<Plugin>> make_node_affinity(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
