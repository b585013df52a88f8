#pragma once

#include <memory>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// Removes jobs some time after they are finished (spec.ttlSecondsAfterFinished), with their pods.
std::unique_ptr<Controller> make_finished_job_cleaner(const ControllerContext& context);

}  // namespace proa::controllers
