#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// SchedulingGates: keeps pods with scheduling gates out of the queue.
Result<std::unique_ptr<Plugin>> make_scheduling_gates(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
