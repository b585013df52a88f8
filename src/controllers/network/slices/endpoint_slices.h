#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Maintains EndpointSlices for services with selectors. The keys are services.
std::unique_ptr<Controller> make_endpoint_slice_controller(const ControllerContext& context);

}  // namespace proa::controllers
