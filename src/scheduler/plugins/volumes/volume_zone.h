#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// VolumeZone: the node is in the zones and regions of the pod's volumes.
Result<std::unique_ptr<Plugin>> make_volume_zone(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
