#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Deletes what has owners of which none is left, and does what is left to do when something is
// deleted in the foreground (its dependents go first) or its dependents are to be orphaned.
std::unique_ptr<Controller> make_garbage_collector(const ControllerContext& context);

}  // namespace proa::controllers
