#pragma once

#include "apiserver/request/health_checks.h"
#include "cli/credentials/renewal.h"
#include "cli/node/server_node.h"
#include "cli/scheduler/server_scheduler.h"
#include "cli/server/controllers.h"

namespace proa::cli {

// What runs in a server besides the API. Null: not in this process.
struct CheckedComponents {
  const ServerControllers* controllers = nullptr;
  const ServerScheduler* scheduler = nullptr;
  const ServerNode* node = nullptr;
  const Renewal* certificates = nullptr;
};

// Adds the health checks of all components to those of the API server. They are readiness checks:
// restarting the API server helps none of them. All arguments outlive the last request.
void add_health_checks(apiserver::HealthChecks& checks, const CheckedComponents& components);

}  // namespace proa::cli
