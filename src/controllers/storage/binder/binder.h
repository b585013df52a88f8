#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Brings claims and volumes together: binds them, asks provisioners for volumes that there are not,
// and reclaims volumes whose claims are gone. The keys are those of claims, and of volumes, which
// have no namespace.
std::unique_ptr<Controller> make_volume_binder(const ControllerContext& context);

}  // namespace proa::controllers
