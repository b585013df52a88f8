#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// The condition Available of APIServices: whether the servers behind them answer. Checks when an
// APIService, its Service or endpoints change, and every 30 seconds, as upstream.
std::unique_ptr<Controller> make_api_service_availability_controller(
    const ControllerContext& context);

}  // namespace proa::controllers
