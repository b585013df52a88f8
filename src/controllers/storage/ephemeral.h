#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// A pod's volumes of the type "ephemeral" have claims that live as long as the pod: made here, and
// removed with the pod as whatever belongs to it. The keys are those of pods.
std::unique_ptr<Controller> make_ephemeral_volumes(const ControllerContext& context);

}  // namespace proa::controllers
