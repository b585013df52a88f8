#include "controllers/workload/objects/stateful_set.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& ClaimTemplateMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ClaimTemplateMetadata::name>("name"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& ClaimTemplate::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ClaimTemplate::metadata>("metadata"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PersistentVolumeClaim", .entries = kEntries};
  return kTable;
}

const api::FieldTable& StatefulOrdinals::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&StatefulOrdinals::start>("start"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/StatefulSetOrdinals",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& StatefulPartition::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&StatefulPartition::partition>("partition"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/RollingUpdateStatefulSetStrategy",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& StatefulStrategy::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&StatefulStrategy::type>("type"),
      entry<&StatefulStrategy::rolling>("rollingUpdate"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/StatefulSetUpdateStrategy",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& StatefulClaimRetention::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&StatefulClaimRetention::when_deleted>("whenDeleted"),
      entry<&StatefulClaimRetention::when_scaled>("whenScaled"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apps/v1/StatefulSetPersistentVolumeClaimRetentionPolicy", .entries = kEntries};
  return kTable;
}

const api::FieldTable& StatefulSetSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&StatefulSetSpec::replicas>("replicas"),
      entry<&StatefulSetSpec::claim_templates>("volumeClaimTemplates"),
      entry<&StatefulSetSpec::service>("serviceName"),
      entry<&StatefulSetSpec::pod_management>("podManagementPolicy"),
      entry<&StatefulSetSpec::strategy>("updateStrategy"),
      entry<&StatefulSetSpec::history_limit>("revisionHistoryLimit"),
      entry<&StatefulSetSpec::min_ready_seconds>("minReadySeconds"),
      entry<&StatefulSetSpec::claim_retention>("persistentVolumeClaimRetentionPolicy"),
      entry<&StatefulSetSpec::ordinals>("ordinals"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/StatefulSetSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& StatefulSetStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&StatefulSetStatus::current_replicas>("currentReplicas"),
      entry<&StatefulSetStatus::current_revision>("currentRevision"),
      entry<&StatefulSetStatus::update_revision>("updateRevision"),
      entry<&StatefulSetStatus::collisions>("collisionCount"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/StatefulSetStatus",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& StatefulSet::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&StatefulSet::spec>("spec"),
      entry<&StatefulSet::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/StatefulSet", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
