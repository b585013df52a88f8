#pragma once

#include <span>

#include "controllers/framework/controller_set.h"

namespace proa::controllers {

// All controllers.
std::span<const ControllerEntry> all_controllers();

}  // namespace proa::controllers
