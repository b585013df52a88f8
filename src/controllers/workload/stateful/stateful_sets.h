#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// StatefulSets: pods with a number, a name and a disk that stay theirs. Never are there two pods of
// one number, since their names are made of it.
std::unique_ptr<Controller> make_stateful_set_controller(const ControllerContext& context);

}  // namespace proa::controllers
