#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// ImageLocality: prefers nodes that have the pod's images; weighted by how many nodes have them, to
// avoid hot spots.
Result<std::unique_ptr<Plugin>> make_image_locality(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
