#include "controllers/workload/objects/replica_set.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& TemplateMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&TemplateMetadata::labels>("labels"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& LabeledTemplate::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&LabeledTemplate::metadata>("metadata"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodTemplateSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ReplicaSetSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ReplicaSetSpec::replicas>("replicas"),
      entry<&ReplicaSetSpec::min_ready_seconds>("minReadySeconds"),
      entry<&ReplicaSetSpec::selector>("selector"),
      entry<&ReplicaSetSpec::pod_template>("template"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/ReplicaSetSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ReplicaSet::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ReplicaSet::spec>("spec"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/ReplicaSet", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ReplicationControllerSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ReplicationControllerSpec::replicas>("replicas"),
      entry<&ReplicationControllerSpec::min_ready_seconds>("minReadySeconds"),
      entry<&ReplicationControllerSpec::selector>("selector"),
      entry<&ReplicationControllerSpec::pod_template>("template"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ReplicationControllerSpec",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ReplicationController::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ReplicationController::spec>("spec"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ReplicationController", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
