#pragma once

#include <span>

#include "controllers/framework/controller_set.h"

namespace proa::controllers {

// All that there are.
std::span<const ControllerEntry> all_controllers();

}  // namespace proa::controllers
