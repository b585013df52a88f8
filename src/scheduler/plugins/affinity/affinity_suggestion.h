#pragma once

#include <string>

#include "scheduler/model/cluster.h"
#include "scheduler/plugins/affinity/incoming.h"

namespace proa::scheduler {

// For users: why affinity rejects the node and what would help. Visits all pods. Empty if it does
// not reject. REQUIRES: the node exists.
std::string mend_affinity(const Cluster& cluster, IncomingPod& pod, NodeIndex node);

}  // namespace proa::scheduler
