#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Runs StatefulSets: pods with stable names and claims. The name contains the ordinal, so there are
// never two pods with one ordinal.
std::unique_ptr<Controller> make_stateful_set_controller(const ControllerContext& context);

}  // namespace proa::controllers
