#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// NodePorts: a host port can be used once per node.
Result<std::unique_ptr<Plugin>> make_node_ports(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
