#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Runs Deployments: one ReplicaSet per template. In a rollout the new one grows while the old ones
// shrink, within limits; old ones are kept for rollbacks.
std::unique_ptr<Controller> make_deployment_controller(const ControllerContext& context);

}  // namespace proa::controllers
