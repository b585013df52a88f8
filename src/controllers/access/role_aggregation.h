#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// A ClusterRole with an aggregationRule has the rules of all ClusterRoles that it chooses. The keys
// are names of such roles.
std::unique_ptr<Controller> make_role_aggregator(const ControllerContext& context);

}  // namespace proa::controllers
