#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Deletes the contents of terminating namespaces, pods first, reports progress in their conditions,
// and removes the finalizer when nothing is left.
std::unique_ptr<Controller> make_namespace_controller(const ControllerContext& context);

}  // namespace proa::controllers
