#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// TaintToleration: rejects nodes with taints that the pod does not tolerate, and prefers nodes with
// fewer PreferNoSchedule taints.
Result<std::unique_ptr<Plugin>> make_taint_toleration(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
