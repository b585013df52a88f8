#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Records events about claims that are waiting for expansion, which the CSI driver performs. The
// keys are claims.
std::unique_ptr<Controller> make_volume_expander(const ControllerContext& context);

}  // namespace proa::controllers
