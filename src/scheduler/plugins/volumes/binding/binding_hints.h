#pragma once

#include "scheduler/framework/event.h"

namespace proa::scheduler {

// Queueing hint: whether an event may make a pod's volumes available.
bool may_help_binding(const Pod& pod, const ClusterEvent& event);

}  // namespace proa::scheduler
