#pragma once

#include <memory>
#include <span>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/resources/resource_args.h"

namespace proa::scheduler {

// The scorer of NodeResourcesBalancedAllocation for pods that ask for so much; null for those that
// ask for none of the resources.
std::unique_ptr<NodeScorer> make_balanced_scorer(std::span<const ResourceWeight> resources,
                                                 const Resources& request);

}  // namespace proa::scheduler
