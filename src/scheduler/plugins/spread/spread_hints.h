#pragma once

#include <span>

#include "scheduler/framework/event.h"

namespace proa::scheduler {

// Queueing hint: whether a pod or node event may help a pod rejected by hard constraints.
// `constraints`: all of that pod, with selectors; soft ones are ignored.
bool may_help_spread(const Pod& pod, std::span<const SpreadConstraint> constraints,
                     const ClusterEvent& event);

// Whether the event concerns pods that may count; a cheap pre-check.
bool concerns_spread(const Pod& pod, const ClusterEvent& event);

}  // namespace proa::scheduler
