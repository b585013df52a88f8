#pragma once

#include <span>

#include "controllers/framework/controller_set.h"

namespace proa::controllers {

// All that a controller manager runs.
std::span<const ControllerEntry> all_controllers();
// Those without which the API is not whole: a server runs them besides, and alone if another
// program is the controller manager.
std::span<const ControllerEntry> api_server_controllers();

}  // namespace proa::controllers
