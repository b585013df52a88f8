#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Keeps pods away from nodes with taints that they don't tolerate, or prefers others.
Result<std::unique_ptr<Plugin>> make_taint_toleration(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
