#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Keeps the status of PodDisruptionBudgets, by which the eviction API decides: how many of a
// budget's pods are healthy, how many have to be, and so how many may go now.
std::unique_ptr<Controller> make_disruption_controller(const ControllerContext& context);

}  // namespace proa::controllers
