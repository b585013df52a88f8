#pragma once

#include "scheduler/model/node.h"
#include "scheduler/model/pod.h"

namespace proa::scheduler {

// Whether a pod that affinity keeps waiting may find a node after another pod (or itself), or a
// node, came (no `before`), changed, or went (no `after`). As upstream answers it; where its answer
// is a no too many, the pod waits for its next turn there and here.
bool affinity_may_change_by_pod(const Pod& waiting, const Pod* before, const Pod* after);
bool affinity_may_change_by_node(const Pod& waiting, const NodeFacts* before,
                                 const NodeFacts& after);

}  // namespace proa::scheduler
