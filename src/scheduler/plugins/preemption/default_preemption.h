#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// DefaultPreemption: makes room for a pod by evicting pods of lower priority.
Result<std::unique_ptr<Plugin>> make_default_preemption(const PluginContext& context,
                                                        api::View args);

}  // namespace proa::scheduler
