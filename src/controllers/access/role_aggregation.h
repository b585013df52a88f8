#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Gives ClusterRoles with an aggregationRule the rules of the ClusterRoles that it selects. The
// keys are their names.
std::unique_ptr<Controller> make_role_aggregator(const ControllerContext& context);

}  // namespace proa::controllers
