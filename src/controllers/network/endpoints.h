#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Maintains Endpoints for services with selectors, for clients without EndpointSlices. The keys are
// services.
std::unique_ptr<Controller> make_endpoints_controller(const ControllerContext& context);

}  // namespace proa::controllers
