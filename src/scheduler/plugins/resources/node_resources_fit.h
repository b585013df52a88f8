#pragma once

#include <memory>

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// NodeResourcesFit: the node has room for what the pod asks for; scores by how full it will be.
Result<std::unique_ptr<Plugin>> make_node_resources_fit(const PluginContext& context,
                                                        api::View args);

}  // namespace proa::scheduler
