#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Mirrors manually created Endpoints of services without selector to EndpointSlices. The keys are
// Endpoints.
std::unique_ptr<Controller> make_endpoint_slice_mirroring_controller(
    const ControllerContext& context);

}  // namespace proa::controllers
