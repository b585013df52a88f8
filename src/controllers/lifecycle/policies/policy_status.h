#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// The status of ValidatingAdmissionPolicies: warns of expressions that do not fit the types of the
// objects they are about. Checks once per change of a policy, as upstream.
std::unique_ptr<Controller> make_policy_status_controller(const ControllerContext& context);

}  // namespace proa::controllers
