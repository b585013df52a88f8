#pragma once

#include <memory>
#include <span>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/spread/default_selectors.h"
#include "scheduler/plugins/spread/placed_pods.h"

namespace proa::scheduler {

// The verdicts of the filter.
struct SpreadVerdicts {
  Verdict uneven = {};
  Verdict no_label = {};
};

// Filters by hard constraints. `placed` is only used during construction; `found` is the source of
// default selectors.
std::unique_ptr<NodeFilter> make_spread_filter(const Cluster& cluster, PlacedPods& placed,
                                               const PodShape& pod,
                                               std::span<const SpreadConstraint> constraints,
                                               FoundSelector found, const SpreadVerdicts& verdicts);
// For pods without constraints, until `found` changes.
std::unique_ptr<NodeFilter> make_idle_spread_filter(FoundSelector found);

}  // namespace proa::scheduler
