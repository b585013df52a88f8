#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// NodeName: a pod with spec.nodeName fits only on that node.
Result<std::unique_ptr<Plugin>> make_node_name(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
