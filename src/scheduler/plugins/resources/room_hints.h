#pragma once

#include <vector>

#include "scheduler/framework/event.h"

namespace proa::scheduler {

// Events that may free resources on a node.
std::vector<EventInterest> room_events();
// Whether the event freed resources that the pod needs.
bool may_make_room(const Pod& waiting, const ClusterEvent& event);

}  // namespace proa::scheduler
