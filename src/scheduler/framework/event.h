#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "scheduler/model/node.h"
#include "scheduler/model/pod.h"

namespace proa::scheduler {

// Cluster events that may make a pod schedulable.
enum class EventResource : uint8_t {
  kAssignedPod,     // bound to a node
  kUnscheduledPod,  // the waiting pod itself
  kNode,
  kPersistentVolume,
  kPersistentVolumeClaim,
  kStorageClass,
  kCsiNode,
  kCsiDriver,
  kCsiStorageCapacity,
  kVolumeAttachment,
};

// Bits: one change may be several of them.
namespace action {
inline constexpr uint32_t kAdd = 1u << 0;
inline constexpr uint32_t kDelete = 1u << 1;
inline constexpr uint32_t kUpdateNodeAllocatable = 1u << 2;
inline constexpr uint32_t kUpdateNodeLabel = 1u << 3;
inline constexpr uint32_t kUpdateNodeTaint = 1u << 4;
inline constexpr uint32_t kUpdateNodeCondition = 1u << 5;
inline constexpr uint32_t kUpdateNodeAnnotation = 1u << 6;
inline constexpr uint32_t kUpdatePodLabel = 1u << 7;
inline constexpr uint32_t kUpdatePodScaleDown = 1u << 8;
inline constexpr uint32_t kUpdatePodToleration = 1u << 9;
inline constexpr uint32_t kUpdatePodGatesGone = 1u << 10;
inline constexpr uint32_t kUpdateOther = 1u << 11;  // an update that is none of the above
inline constexpr uint32_t kUpdate = ((1u << 12) - 1) & ~(kAdd | kDelete);
inline constexpr uint32_t kAll = (1u << 12) - 1;
}  // namespace action

// The events that a plugin registers for.
struct EventInterest {
  EventResource resource = EventResource::kNode;
  uint32_t actions = action::kAll;
};

// One event. Fields of other resources are null.
struct ClusterEvent {
  EventResource resource = EventResource::kNode;
  uint32_t action = 0;
  const Pod* old_pod = nullptr;
  const Pod* new_pod = nullptr;
  const NodeFacts* old_node = nullptr;
  const NodeFacts* new_node = nullptr;
  const api::Object* old_object = nullptr;  // of other resources
  const api::Object* new_object = nullptr;
};

// "AssignedPodDelete", "NodeUpdateNodeTaint": for logs and metrics, as upstream labels them.
std::string event_label(EventResource resource, uint32_t action);

// The differences between two states of a node or pod, as bits; zero if nothing relevant changed.
uint32_t node_changes(const NodeFacts& before, const NodeFacts& after);
uint32_t pod_changes(const Pod& before, const Pod& after);

}  // namespace proa::scheduler
