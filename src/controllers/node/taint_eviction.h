#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Drives pods from nodes with taints of the effect NoExecute: at once those that don't tolerate
// them, the others when the time is over for which they do.
std::unique_ptr<Controller> make_taint_eviction_controller(const ControllerContext& context);

}  // namespace proa::controllers
