#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Deletes objects whose owners are all gone, and handles foreground deletion (dependents first) and
// orphaning.
std::unique_ptr<Controller> make_garbage_collector(const ControllerContext& context);

}  // namespace proa::controllers
