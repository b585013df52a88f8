#pragma once

#include <memory>

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// InterPodAffinity: pod affinity and anti-affinity. `args`: InterPodAffinityArgs.
Result<std::unique_ptr<Plugin>> make_inter_pod_affinity(const PluginContext& context,
                                                        api::View args);

}  // namespace proa::scheduler
