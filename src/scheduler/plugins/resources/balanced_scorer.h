#pragma once

#include <memory>
#include <span>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/resources/resource_args.h"

namespace proa::scheduler {

// The scorer of NodeResourcesBalancedAllocation for pods with these requests; null if they request
// none of the resources.
std::unique_ptr<NodeScorer> make_balanced_scorer(std::span<const ResourceWeight> resources,
                                                 const Resources& request);

}  // namespace proa::scheduler
