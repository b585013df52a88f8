#pragma once

#include "controllers/workload/deployment/rolling.h"

namespace proa::controllers::deployments {

// Whether spec.replicas changed since the sets were scaled.
bool was_scaled(const DeploymentFacts& deployment, const Sets& sets);

// The sizes of the sets for a new spec.replicas. During a rollout all sets are scaled
// proportionally: scaling only the newest would speed up a rollout that may fail. Includes sets of
// unchanged size whose annotations must be updated.
std::vector<Resize> plan_scaling(const DeploymentFacts& deployment, const Sets& sets);

}  // namespace proa::controllers::deployments
