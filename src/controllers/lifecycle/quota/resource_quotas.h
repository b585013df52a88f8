#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Keeps the status of ResourceQuotas right: what they limit, and what is used of it. Writes that
// use more are charged by the API server, in their own commits; here is given back what deletions
// and ends set free, and counted what was there before a quota. The keys are those of quotas.
std::unique_ptr<Controller> make_resource_quota_controller(const ControllerContext& context);

}  // namespace proa::controllers
