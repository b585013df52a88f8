#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Evicts pods from nodes with NoExecute taints: immediately if they do not tolerate them, otherwise
// after their tolerationSeconds.
std::unique_ptr<Controller> make_taint_eviction_controller(const ControllerContext& context);

}  // namespace proa::controllers
