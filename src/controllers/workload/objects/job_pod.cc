#include "controllers/workload/objects/job_pod.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& JobPodAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobPodAnnotations::index>("batch.kubernetes.io/job-completion-index"),
      entry<&JobPodAnnotations::failures>("batch.kubernetes.io/job-index-failure-count"),
      entry<&JobPodAnnotations::ignored_failures>(
          "batch.kubernetes.io/job-index-ignored-failure-count"),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobPodMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobPodMetadata::created>("creationTimestamp"),
      entry<&JobPodMetadata::deleted>("deletionTimestamp"),
      entry<&JobPodMetadata::grace_period_seconds>("deletionGracePeriodSeconds"),
      entry<&JobPodMetadata::annotations>("annotations"),
      entry<&JobPodMetadata::finalizers>("finalizers"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& InitContainer::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&InitContainer::name>("name"),
      entry<&InitContainer::restart_policy>("restartPolicy"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Container", .entries = kEntries};
  return kTable;
}

const api::FieldTable& InitContainers::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&InitContainers::init_containers>("initContainers"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ContainerEnd::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ContainerEnd::exit_code>("exitCode"),
      entry<&ContainerEnd::finished>("finishedAt"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerStateTerminated",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ContainerState::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ContainerState::terminated>("terminated"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerState", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ContainerStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ContainerStatus::name>("name"),
      entry<&ContainerStatus::state>("state"),
      entry<&ContainerStatus::restarts>("restartCount"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ContainerStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobPodStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobPodStatus::conditions>("conditions"),
      entry<&JobPodStatus::init_containers>("initContainerStatuses"),
      entry<&JobPodStatus::containers>("containerStatuses"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& JobPod::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&JobPod::metadata>("metadata"),
      entry<&JobPod::spec>("spec"),
      entry<&JobPod::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Pod", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
