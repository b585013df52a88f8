#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// PrioritySort: higher priority first, then first come, first served.
Result<std::unique_ptr<Plugin>> make_priority_sort(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
