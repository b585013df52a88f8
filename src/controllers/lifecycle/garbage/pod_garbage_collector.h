#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Deletes pods on deleted or out-of-service nodes, unscheduled pods that are being deleted, and the
// oldest terminated pods above a threshold.
std::unique_ptr<Controller> make_pod_garbage_collector(const ControllerContext& context);

}  // namespace proa::controllers
