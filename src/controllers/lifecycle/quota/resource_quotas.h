#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Updates the status of ResourceQuotas. The API server charges writes in their own commits; this
// controller releases usage after deletions and terminations, and counts objects older than the
// quota. The keys are quotas.
std::unique_ptr<Controller> make_resource_quota_controller(const ControllerContext& context);

}  // namespace proa::controllers
