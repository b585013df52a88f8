#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Runs pods until enough of them have succeeded, or too many have failed. The keys are those of
// jobs, and of pods that have lost theirs (see jobs::orphan_key()).
std::unique_ptr<Controller> make_job_controller(const ControllerContext& context);

}  // namespace proa::controllers
