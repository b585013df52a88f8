#pragma once

#include "controllers/workload/deployment/rolling.h"

namespace proa::controllers::deployments {

// Whether the deployment's number of replicas was changed since its sets were sized.
bool was_scaled(const DeploymentFacts& deployment, const Sets& sets);

// How the sets follow a new number. In the middle of a rollout, all of them grow or shrink in
// proportion: were only the newest to grow, scaling would hasten a rollout that may go wrong. Sets
// whose size stays are named too, when they must be told the new number.
std::vector<Resize> plan_scaling(const DeploymentFacts& deployment, const Sets& sets);

}  // namespace proa::controllers::deployments
