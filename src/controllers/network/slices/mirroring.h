#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// EndpointSlices for Endpoints that people made by hand, for services without a selector. The keys
// are Endpoints.
std::unique_ptr<Controller> make_endpoint_slice_mirroring_controller(
    const ControllerContext& context);

}  // namespace proa::controllers
