#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// NodeUnschedulable: rejects cordoned nodes, unless the pod tolerates that.
Result<std::unique_ptr<Plugin>> make_node_unschedulable(const PluginContext& context,
                                                        api::View args);

}  // namespace proa::scheduler
