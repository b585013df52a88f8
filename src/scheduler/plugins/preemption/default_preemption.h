#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// PostFilter: makes room for a pod by taking away pods of lower priority.
Result<std::unique_ptr<Plugin>> make_default_preemption(const PluginContext& context,
                                                        api::View args);

}  // namespace proa::scheduler
