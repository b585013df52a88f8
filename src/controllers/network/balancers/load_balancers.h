#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Gives services of type LoadBalancer addresses: those of the nodes, which forward to them, or one
// of a pool (--load-balancer-pool). The keys are services.
std::unique_ptr<Controller> make_load_balancer_controller(const ControllerContext& context);

}  // namespace proa::controllers
