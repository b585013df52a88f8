#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Ports of a node that are taken can't be taken again.
Result<std::unique_ptr<Plugin>> make_node_ports(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
