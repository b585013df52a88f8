#pragma once

#include <memory>
#include <span>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/spread/default_selectors.h"
#include "scheduler/plugins/spread/placed_pods.h"

namespace proa::scheduler {

// Scores by soft constraints. `all_labels`: nodes without some of their labels are ignored;
// otherwise (built-in constraints) they form an extra domain. For the rest see make_spread_filter.
std::unique_ptr<NodeScorer> make_spread_scorer(const Cluster& cluster, PlacedPods& placed,
                                               const PodShape& pod,
                                               std::span<const SpreadConstraint> constraints,
                                               bool all_labels, FoundSelector found);
// For pods without constraints, until `found` changes.
std::unique_ptr<NodeScorer> make_idle_spread_scorer(FoundSelector found);

}  // namespace proa::scheduler
