#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Binds claims to volumes, requests provisioning of missing volumes, and reclaims released ones.
// The keys are claims, and volumes, which have no namespace.
std::unique_ptr<Controller> make_volume_binder(const ControllerContext& context);

}  // namespace proa::controllers
