#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Keeps nodes from having more volumes of a CSI driver than it says that they can have.
Result<std::unique_ptr<Plugin>> make_node_volume_limits(const PluginContext& context,
                                                        api::View args);

}  // namespace proa::scheduler
