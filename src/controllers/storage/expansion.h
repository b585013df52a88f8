#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Volumes that are to grow are grown by whoever made them; here people are told so. The keys are
// those of claims.
std::unique_ptr<Controller> make_volume_expander(const ControllerContext& context);

}  // namespace proa::controllers
