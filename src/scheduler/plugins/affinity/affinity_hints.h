#pragma once

#include "scheduler/model/node.h"
#include "scheduler/model/pod.h"

namespace proa::scheduler {

// Queueing hint: whether a pod rejected by affinity may fit after a pod or node was added (no
// `before`), changed, or was deleted (no `after`). Follows upstream, also where it misses an event
// and the pod waits for its next retry.
bool affinity_may_change_by_pod(const Pod& waiting, const Pod* before, const Pod* after);
bool affinity_may_change_by_node(const Pod& waiting, const NodeFacts* before,
                                 const NodeFacts& after);

}  // namespace proa::scheduler
