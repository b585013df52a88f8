#pragma once

#include <vector>

#include "scheduler/framework/event.h"

namespace proa::scheduler {

// Events after which a node may have room that had none.
std::vector<EventInterest> room_events();
// Whether this one, of those above, made room of the sort that the waiting pod needs.
bool may_make_room(const Pod& waiting, const ClusterEvent& event);

}  // namespace proa::scheduler
