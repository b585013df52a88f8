#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// So many pods of a template: what is missing is made, what is too much is removed, and pods that
// nobody controls are adopted when the selector wants them. Both kinds are the same but for names.
std::unique_ptr<Controller> make_replica_set_controller(const ControllerContext& context);
std::unique_ptr<Controller> make_replication_controller(const ControllerContext& context);

}  // namespace proa::controllers
