#pragma once

#include <memory>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/affinity/incoming.h"

namespace proa::scheduler {

// What the filter says of nodes that it rejects.
struct AffinityVerdicts {
  Verdict no_affinity = {};    // the pods that it wants near are not there
  Verdict anti_affinity = {};  // pods that it wants far are there
  Verdict unwanted = {};       // pods are there that want it far
};

// Required affinity and anti-affinity of the pod, and the anti-affinity that others have to it.
// `cluster` outlives it.
std::unique_ptr<NodeFilter> make_affinity_filter(const Cluster& cluster, IncomingPod pod,
                                                 const AffinityVerdicts& verdicts);

}  // namespace proa::scheduler
