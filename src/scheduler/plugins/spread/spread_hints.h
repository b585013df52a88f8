#pragma once

#include <span>

#include "scheduler/framework/event.h"

namespace proa::scheduler {

// Whether an event about a pod or a node may help a pod that its hard constraints left without a
// node. `constraints`: all of that pod, complete with selectors; soft ones are passed over.
bool may_help_spread(const Pod& pod, std::span<const SpreadConstraint> constraints,
                     const ClusterEvent& event);

// Whether an event is about pods that may count at all; asked first, as it costs nothing.
bool concerns_spread(const Pod& pod, const ClusterEvent& event);

}  // namespace proa::scheduler
