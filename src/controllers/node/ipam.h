#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Assigns each node a pod CIDR of each of the cluster's IP families, without overlaps. Does nothing
// without a cluster CIDR.
std::unique_ptr<Controller> make_node_ipam_controller(const ControllerContext& context);

}  // namespace proa::controllers
