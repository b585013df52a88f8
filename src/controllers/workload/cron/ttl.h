#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Deletes finished jobs and their pods after spec.ttlSecondsAfterFinished.
std::unique_ptr<Controller> make_finished_job_cleaner(const ControllerContext& context);

}  // namespace proa::controllers
