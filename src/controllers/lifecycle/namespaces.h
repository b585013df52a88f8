#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Empties namespaces that are being deleted, pods first, says in their conditions how far that is,
// and lets go of them when nothing is left.
std::unique_ptr<Controller> make_namespace_controller(const ControllerContext& context);

}  // namespace proa::controllers
