#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Gives each node a network of its own for its pods, out of the cluster's: one of each family that
// the cluster has. No two nodes get the same. Does nothing where the cluster has none.
std::unique_ptr<Controller> make_node_ipam_controller(const ControllerContext& context);

}  // namespace proa::controllers
