#include "controllers/workload/objects/daemon_set.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& DaemonAnnotations::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DaemonAnnotations::template_generation>("deprecated.daemonset.template.generation"),
  };
  static constexpr api::FieldTable kTable{.types = api::FieldTable::kMap, .entries = kEntries};
  return kTable;
}

const api::FieldTable& DaemonMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DaemonMetadata::annotations>("annotations"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& DaemonStrategy::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DaemonStrategy::type>("type"),
      entry<&DaemonStrategy::rolling>("rollingUpdate"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/DaemonSetUpdateStrategy",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& DaemonTemplate::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DaemonTemplate::spec>("spec"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/PodTemplateSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& DaemonSetSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DaemonSetSpec::pod_template>("template"),
      entry<&DaemonSetSpec::strategy>("updateStrategy"),
      entry<&DaemonSetSpec::min_ready_seconds>("minReadySeconds"),
      entry<&DaemonSetSpec::history_limit>("revisionHistoryLimit"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/DaemonSetSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& DaemonSetStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DaemonSetStatus::observed_generation>("observedGeneration"),
      entry<&DaemonSetStatus::collisions>("collisionCount"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/DaemonSetStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& DaemonSet::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DaemonSet::metadata>("metadata"),
      entry<&DaemonSet::spec>("spec"),
      entry<&DaemonSet::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/DaemonSet", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
