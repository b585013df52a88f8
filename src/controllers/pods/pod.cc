#include "controllers/pods/pod.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& PodAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PodAnnotations::deletion_cost>("controller.kubernetes.io/pod-deletion-cost"),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PodMetadata::created>("creationTimestamp"),
      entry<&PodMetadata::annotations>("annotations"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PodSpec::node>("nodeName"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodContainerStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PodContainerStatus::restarts>("restartCount"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodConditionState::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PodConditionState::type>("type"),
      entry<&PodConditionState::status>("status"),
      entry<&PodConditionState::last_transition>("lastTransitionTime"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodCondition", .entries = kEntries};
  return kTable;
}

const api::FieldTable& PodStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&PodStatus::phase>("phase"),
      entry<&PodStatus::conditions>("conditions"),
      entry<&PodStatus::address>("podIP"),
      entry<&PodStatus::init_containers>("initContainerStatuses"),
      entry<&PodStatus::containers>("containerStatuses"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Pod::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Pod::metadata>("metadata"),
      entry<&Pod::spec>("spec"),
      entry<&Pod::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Pod", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
