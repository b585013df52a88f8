#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Keeps pods out of the queue that have scheduling gates.
Result<std::unique_ptr<Plugin>> make_scheduling_gates(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
