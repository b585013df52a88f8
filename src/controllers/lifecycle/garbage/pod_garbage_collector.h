#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Ends pods that nobody else will end: those of nodes that are gone or out of service, those that
// were deleted before they came to any node, and the oldest of very many that are finished.
std::unique_ptr<Controller> make_pod_garbage_collector(const ControllerContext& context);

}  // namespace proa::controllers
