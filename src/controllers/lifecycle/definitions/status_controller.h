#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// The status of CustomResourceDefinitions: names and conditions. A definition is established with
// one write: the server serves it once its names are accepted.
std::unique_ptr<Controller> make_definition_status_controller(const ControllerContext& context);

}  // namespace proa::controllers
