#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Services of type LoadBalancer get the addresses of the nodes, which forward to them. The keys are
// services.
std::unique_ptr<Controller> make_load_balancer_controller(const ControllerContext& context);

}  // namespace proa::controllers
