#pragma once

#include "apiserver/server.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::cli {

// GET /debug/proa/explain-pending/NAMESPACE/NAME?output=text|json|yaml: the result of `proa
// explain-pending`. Requires a role that names the path and read access to the pod; the cluster is
// read as the scheduler. All arguments outlive the path, which ends with the server.
apiserver::ExtraPath explain_path(apiserver::ApiServer& api, Clock& clock, Random& random,
                                  scheduler::SchedulerConfig config);

}  // namespace proa::cli
