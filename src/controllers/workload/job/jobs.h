#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Runs Jobs: pods until enough succeeded or too many failed. Keys are those of jobs, and of pods
// whose job is gone (jobs::orphan_key()).
std::unique_ptr<Controller> make_job_controller(const ControllerContext& context);

}  // namespace proa::controllers
