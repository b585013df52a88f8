#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// The order of the queue: higher priority first, then who came first.
Result<std::unique_ptr<Plugin>> make_priority_sort(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
