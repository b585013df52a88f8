#pragma once

#include <string>

#include "scheduler/model/cluster.h"
#include "scheduler/plugins/affinity/incoming.h"

namespace proa::scheduler {

// For people: what keeps the pod off that node by affinity, and what would have to change. Looks at
// all pods. Empty when nothing does. REQUIRES: the node is there.
std::string mend_affinity(const Cluster& cluster, IncomingPod& pod, NodeIndex node);

}  // namespace proa::scheduler
