#include "scheduler/plugins/resources/room_hints.h"

#include <algorithm>

#include "scheduler/plugins/resources/shortage.h"

namespace proa::scheduler {

namespace room_hints {

// Whether `after` is less than `before` in anything that is wanted.
bool is_less(const Resources& wanted, const Resources& before, const Resources& after) {
  return (wanted.milli_cpu > 0 && before.milli_cpu > after.milli_cpu) ||
         (wanted.memory > 0 && before.memory > after.memory) ||
         (wanted.ephemeral_storage > 0 && before.ephemeral_storage > after.ephemeral_storage) ||
         std::any_of(wanted.others.begin(), wanted.others.end(), [&](const auto& one) {
           return before.other(one.first) > after.other(one.first);
         });
}

bool pod_may_help(const Pod& waiting, const ClusterEvent& event) {
  if (event.new_pod == nullptr) {
    // Room that was kept for it is free again, even if it never ran.
    const Pod* gone = event.old_pod;
    return gone == nullptr || !gone->node.empty() || !gone->nominated_node.empty();
  }
  if (event.new_pod->uid() == waiting.uid()) return true;
  if (event.new_pod->node.empty()) return false;
  if (event.old_pod == nullptr) return true;
  return is_less(waiting.shape->requests.exact, event.old_pod->shape->requests.exact,
                 event.new_pod->shape->requests.exact);
}

// Resources that are to be ignored are looked at here: so does upstream (isFit).
bool node_may_help(const Pod& waiting, const ClusterEvent& event) {
  if (event.new_node == nullptr) return false;
  const Resources& wanted = waiting.shape->requests.exact;
  if (!fits_empty(wanted, *event.new_node)) return false;
  if (event.old_node == nullptr) return true;
  return event.new_node->allowed_pods > event.old_node->allowed_pods ||
         is_less(wanted, event.new_node->allocatable, event.old_node->allocatable);
}

}  // namespace room_hints

std::vector<EventInterest> room_events() {
  constexpr uint32_t kPod = action::kDelete | action::kUpdatePodScaleDown;
  constexpr uint32_t kNode = action::kAdd | action::kUpdateNodeAllocatable;
  return {{.resource = EventResource::kAssignedPod, .actions = kPod},
          {.resource = EventResource::kUnscheduledPod, .actions = kPod},
          {.resource = EventResource::kNode, .actions = kNode}};
}

bool may_make_room(const Pod& waiting, const ClusterEvent& event) {
  return event.resource == EventResource::kNode ? room_hints::node_may_help(waiting, event)
                                                : room_hints::pod_may_help(waiting, event);
}

}  // namespace proa::scheduler
