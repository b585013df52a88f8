#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Runs DaemonSets: one pod on each eligible node.
std::unique_ptr<Controller> make_daemon_set_controller(const ControllerContext& context);

}  // namespace proa::controllers
