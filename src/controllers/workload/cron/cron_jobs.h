#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Creates jobs on schedule.
std::unique_ptr<Controller> make_cron_job_controller(const ControllerContext& context);

}  // namespace proa::controllers
