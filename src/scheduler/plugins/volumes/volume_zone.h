#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Keeps pods in the zones and regions that the labels of their volumes name.
Result<std::unique_ptr<Plugin>> make_volume_zone(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
