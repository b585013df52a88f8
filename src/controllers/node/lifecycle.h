#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Watches over nodes. One that was not heard of for a while is called Unknown, with its pods no
// longer ready; taints say what its conditions do, so that nothing new comes to it, and, at a pace
// that a broken network does not turn into a landslide, that its pods are driven away.
std::unique_ptr<Controller> make_node_lifecycle_controller(const ControllerContext& context);

}  // namespace proa::controllers
