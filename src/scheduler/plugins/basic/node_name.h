#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// A pod that names its node runs there or nowhere.
Result<std::unique_ptr<Plugin>> make_node_name(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
