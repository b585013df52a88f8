#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Keeps pods away from nodes that are closed (cordoned), unless they tolerate that.
Result<std::unique_ptr<Plugin>> make_node_unschedulable(const PluginContext& context,
                                                        api::View args);

}  // namespace proa::scheduler
