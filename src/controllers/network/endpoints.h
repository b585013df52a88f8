#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Endpoints: the pods of every service that selects some, for those who do not know EndpointSlices
// yet. The keys are services.
std::unique_ptr<Controller> make_endpoints_controller(const ControllerContext& context);

}  // namespace proa::controllers
