#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Pods of a template, by a ReplicaSet for every template there was: a new template's set grows
// while the others shrink, within limits, and can be gone back to.
std::unique_ptr<Controller> make_deployment_controller(const ControllerContext& context);

}  // namespace proa::controllers
