#pragma once

#include <memory>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/affinity/incoming.h"

namespace proa::scheduler {

// Prefers nodes by the preferred terms of the pod and of others, and by others' required affinity
// to it, of which each term weighs `required_weight`. `cluster` outlives it.
std::unique_ptr<NodeScorer> make_affinity_scorer(const Cluster& cluster, IncomingPod pod,
                                                 int32_t required_weight);

}  // namespace proa::scheduler
