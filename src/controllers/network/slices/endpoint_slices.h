#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// EndpointSlices: the pods of every service that selects some. The keys are services.
std::unique_ptr<Controller> make_endpoint_slice_controller(const ControllerContext& context);

}  // namespace proa::controllers
