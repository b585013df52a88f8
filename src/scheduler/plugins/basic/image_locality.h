#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Prefers nodes that have the images already; less so for images that few nodes have, lest all
// pods land there.
Result<std::unique_ptr<Plugin>> make_image_locality(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
