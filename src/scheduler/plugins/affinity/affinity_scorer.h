#pragma once

#include <memory>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/affinity/incoming.h"

namespace proa::scheduler {

// Scores by the preferred terms of the pod and of existing pods, and by their required affinity to
// it with weight `required_weight` per term. `cluster` outlives it.
std::unique_ptr<NodeScorer> make_affinity_scorer(const Cluster& cluster, IncomingPod pod,
                                                 int32_t required_weight);

}  // namespace proa::scheduler
