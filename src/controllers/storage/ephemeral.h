#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Creates the claims of ephemeral volumes; they are owned by the pod and deleted with it. The keys
// are pods.
std::unique_ptr<Controller> make_ephemeral_volumes(const ControllerContext& context);

}  // namespace proa::controllers
