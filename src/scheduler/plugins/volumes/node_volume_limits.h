#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// NodeVolumeLimits: the maximum number of a CSI driver's volumes per node.
Result<std::unique_ptr<Plugin>> make_node_volume_limits(const PluginContext& context,
                                                        api::View args);

}  // namespace proa::scheduler
