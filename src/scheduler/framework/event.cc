#include "scheduler/framework/event.h"

#include <algorithm>

#include "api/object/view.h"

namespace proa::scheduler {
namespace event {

std::string_view resource_name(EventResource resource) {
  switch (resource) {
    case EventResource::kAssignedPod:
      return "AssignedPod";
    case EventResource::kUnscheduledPod:
      return "UnschedulablePod";
    case EventResource::kNode:
      return "Node";
    case EventResource::kPersistentVolume:
      return "PersistentVolume";
    case EventResource::kPersistentVolumeClaim:
      return "PersistentVolumeClaim";
    case EventResource::kStorageClass:
      return "storage.k8s.io/StorageClass";
    case EventResource::kCsiNode:
      return "storage.k8s.io/CSINode";
    case EventResource::kCsiDriver:
      return "storage.k8s.io/CSIDriver";
    case EventResource::kCsiStorageCapacity:
      return "storage.k8s.io/CSIStorageCapacity";
    case EventResource::kVolumeAttachment:
      return "storage.k8s.io/VolumeAttachment";
  }
  return "";
}

std::string_view action_name(uint32_t bits) {
  switch (bits) {
    case action::kAdd:
      return "Add";
    case action::kDelete:
      return "Delete";
    case action::kUpdateNodeAllocatable:
      return "UpdateNodeAllocatable";
    case action::kUpdateNodeLabel:
      return "UpdateNodeLabel";
    case action::kUpdateNodeTaint:
      return "UpdateNodeTaint";
    case action::kUpdateNodeCondition:
      return "UpdateNodeCondition";
    case action::kUpdateNodeAnnotation:
      return "UpdateNodeAnnotation";
    case action::kUpdatePodLabel:
      return "UpdatePodLabel";
    case action::kUpdatePodScaleDown:
      return "UpdatePodScaleDown";
    case action::kUpdatePodToleration:
      return "UpdatePodToleration";
    case action::kUpdatePodGatesGone:
      return "UpdatePodSchedulingGatesEliminated";
    default:
      return "Update";
  }
}

bool any_less(const Resources& before, const Resources& after) {
  return after.milli_cpu < before.milli_cpu || after.memory < before.memory ||
         after.ephemeral_storage < before.ephemeral_storage ||
         std::any_of(before.others.begin(), before.others.end(),
                     [&](const auto& one) { return after.amount(one.first) < one.second; });
}

bool same_labels(const Labels& a, const Labels& b) {
  return std::equal(a.all().begin(), a.all().end(), b.all().begin(), b.all().end());
}

}  // namespace event

std::string event_label(EventResource resource, uint32_t action) {
  return std::string(event::resource_name(resource)).append(event::action_name(action));
}

uint32_t node_changes(const NodeFacts& before, const NodeFacts& after) {
  uint32_t changes = 0;
  if (before.allocatable != after.allocatable || before.allowed_pods != after.allowed_pods) {
    changes |= action::kUpdateNodeAllocatable;
  }
  if (before.metadata().labels != after.metadata().labels) changes |= action::kUpdateNodeLabel;
  // A node that is opened again counts as one that lost a taint: upstream's rule.
  if (before.taints != after.taints || (before.unschedulable && !after.unschedulable)) {
    changes |= action::kUpdateNodeTaint;
  }
  return changes;
}

uint32_t pod_changes(const Pod& before, const Pod& after) {
  uint32_t changes = 0;
  if (!event::same_labels(before.shape->labels, after.shape->labels)) {
    changes |= action::kUpdatePodLabel;
  }
  if (event::any_less(before.shape->requests.exact, after.shape->requests.exact)) {
    changes |= action::kUpdatePodScaleDown;
  }
  if (before.shape->tolerations.size() != after.shape->tolerations.size()) {
    changes |= action::kUpdatePodToleration;
  }
  if (before.gated && !after.gated) changes |= action::kUpdatePodGatesGone;
  return changes;
}

}  // namespace proa::scheduler
