#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Sees to it that the volumes of pods can be had where the pods go, and binds those that are bound
// only when a node was chosen.
Result<std::unique_ptr<Plugin>> make_volume_binding(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
