#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Takes back what was said too early: a pod that is the target of a disruption (the condition
// DisruptionTarget), and has not been deleted two minutes later, is none any more. Keys are pods.
std::unique_ptr<Controller> make_stale_disruption_controller(const ControllerContext& context);

}  // namespace proa::controllers
