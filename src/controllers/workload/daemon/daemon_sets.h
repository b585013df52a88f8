#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// DaemonSets: a pod on every node that wants it.
std::unique_ptr<Controller> make_daemon_set_controller(const ControllerContext& context);

}  // namespace proa::controllers
