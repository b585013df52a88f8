#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// VolumeBinding: a pod's volumes are accessible from the node; binds claims with delayed binding.
Result<std::unique_ptr<Plugin>> make_volume_binding(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
