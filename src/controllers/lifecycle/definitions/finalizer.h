#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Deletes the objects of a CustomResourceDefinition that is being deleted, then lets it go.
std::unique_ptr<Controller> make_definition_finalizer(const ControllerContext& context);

}  // namespace proa::controllers
