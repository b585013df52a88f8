#include "controllers/workload/objects/deployment.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& DeploymentAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DeploymentAnnotations::rollback_to>("deprecated.deployment.rollback.to"),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& DeploymentMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DeploymentMetadata::annotations>("annotations"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& DeploymentStrategy::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DeploymentStrategy::type>("type"),
      entry<&DeploymentStrategy::rolling>("rollingUpdate"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/DeploymentStrategy",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& DeploymentSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DeploymentSpec::replicas>("replicas"),
      entry<&DeploymentSpec::selector>("selector"),
      entry<&DeploymentSpec::strategy>("strategy"),
      entry<&DeploymentSpec::min_ready_seconds>("minReadySeconds"),
      entry<&DeploymentSpec::history_limit>("revisionHistoryLimit"),
      entry<&DeploymentSpec::paused>("paused"),
      entry<&DeploymentSpec::progress_deadline_seconds>("progressDeadlineSeconds"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/DeploymentSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& DeploymentStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DeploymentStatus::replicas>("replicas"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/DeploymentStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Deployment::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Deployment::metadata>("metadata"),
      entry<&Deployment::spec>("spec"),
      entry<&Deployment::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/Deployment", .entries = kEntries};
  return kTable;
}

const api::FieldTable& OwnedSetAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&OwnedSetAnnotations::revision>("deployment.kubernetes.io/revision"),
      entry<&OwnedSetAnnotations::desired_replicas>("deployment.kubernetes.io/desired-replicas"),
      entry<&OwnedSetAnnotations::max_replicas>("deployment.kubernetes.io/max-replicas"),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& OwnedSetMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&OwnedSetMetadata::created>("creationTimestamp"),
      entry<&OwnedSetMetadata::annotations>("annotations"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& OwnedSetSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&OwnedSetSpec::replicas>("replicas"),
      entry<&OwnedSetSpec::min_ready_seconds>("minReadySeconds"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/ReplicaSetSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& OwnedSetStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&OwnedSetStatus::replicas>("replicas"),
      entry<&OwnedSetStatus::ready>("readyReplicas"),
      entry<&OwnedSetStatus::available>("availableReplicas"),
      entry<&OwnedSetStatus::terminating>("terminatingReplicas"),
      entry<&OwnedSetStatus::observed_generation>("observedGeneration"),
      entry<&OwnedSetStatus::conditions>("conditions"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/ReplicaSetStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& OwnedSet::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&OwnedSet::metadata>("metadata"),
      entry<&OwnedSet::spec>("spec"),
      entry<&OwnedSet::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/ReplicaSet", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
