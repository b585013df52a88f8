#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Monitors nodes. A node without heartbeat becomes Unknown, and its pods not ready. Taints reflect
// its conditions; NoExecute taints, which evict pods, are added at a limited rate, since a network
// failure may look like the loss of many nodes.
std::unique_ptr<Controller> make_node_lifecycle_controller(const ControllerContext& context);

}  // namespace proa::controllers
