#pragma once

#include <memory>
#include <span>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/spread/default_selectors.h"
#include "scheduler/plugins/spread/placed_pods.h"

namespace proa::scheduler {

// Soft constraints of a pod. `all_labels`: nodes that lack any of their labels are left out; else
// (the system's own constraints) such nodes are as if in one domain more. For the rest, see
// make_spread_filter.
std::unique_ptr<NodeScorer> make_spread_scorer(const Cluster& cluster, PlacedPods& placed,
                                               const PodShape& pod,
                                               std::span<const SpreadConstraint> constraints,
                                               bool all_labels, FoundSelector found);
// For a pod that has nothing to be spread with, until `found` changes.
std::unique_ptr<NodeScorer> make_idle_spread_scorer(FoundSelector found);

}  // namespace proa::scheduler
