#pragma once

#include "scheduler/framework/event.h"

namespace proa::scheduler {

// Whether an event may let a pod have its volumes that could not have them before.
bool may_help_binding(const Pod& pod, const ClusterEvent& event);

}  // namespace proa::scheduler
