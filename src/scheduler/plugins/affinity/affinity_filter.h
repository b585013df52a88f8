#pragma once

#include <memory>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/affinity/incoming.h"

namespace proa::scheduler {

// The verdicts of the filter.
struct AffinityVerdicts {
  Verdict no_affinity = {};    // required affinity is not satisfied
  Verdict anti_affinity = {};  // required anti-affinity is violated
  Verdict unwanted = {};       // anti-affinity of existing pods is violated
};

// Filters by the pod's required affinity and anti-affinity, and by the anti-affinity of existing
// pods. `cluster` outlives it.
std::unique_ptr<NodeFilter> make_affinity_filter(const Cluster& cluster, IncomingPod pod,
                                                 const AffinityVerdicts& verdicts);

}  // namespace proa::scheduler
