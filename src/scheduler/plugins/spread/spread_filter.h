#pragma once

#include <memory>
#include <span>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/spread/default_selectors.h"
#include "scheduler/plugins/spread/placed_pods.h"

namespace proa::scheduler {

// What the filter says of nodes that it rejects.
struct SpreadVerdicts {
  Verdict uneven = {};
  Verdict no_label = {};
};

// Hard constraints of a pod. `placed` is used here and not kept; `found` is where the selectors of
// default constraints come from.
std::unique_ptr<NodeFilter> make_spread_filter(const Cluster& cluster, PlacedPods& placed,
                                               const PodShape& pod,
                                               std::span<const SpreadConstraint> constraints,
                                               FoundSelector found, const SpreadVerdicts& verdicts);
// For a pod that has nothing to be spread with, until `found` changes.
std::unique_ptr<NodeFilter> make_idle_spread_filter(FoundSelector found);

}  // namespace proa::scheduler
