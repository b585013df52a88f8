#pragma once

#include "apiserver/server.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::cli {

// GET /debug/proa/explain-pending/NAMESPACE/NAME?output=text|json|yaml: why that pod is not
// scheduled, as `proa explain-pending` says it. For those whose roles name the path and who may
// read the pod; what it takes to explain it is read as the scheduler. Everything outlives the path,
// which ends with the server.
apiserver::ExtraPath explain_path(apiserver::ApiServer& api, Clock& clock, Random& random,
                                  scheduler::SchedulerConfig config);

}  // namespace proa::cli
