#pragma once

#include <memory>

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// NodeResourcesBalancedAllocation: prefers nodes whose resource usage becomes more balanced.
Result<std::unique_ptr<Plugin>> make_balanced_allocation(const PluginContext& context,
                                                         api::View args);

}  // namespace proa::scheduler
