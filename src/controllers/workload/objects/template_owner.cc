#include "controllers/workload/objects/template_owner.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& TemplateOwnerSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&TemplateOwnerSpec::pod_template>("template"),
  };
  static constexpr api::FieldTable kTable{.types =
                                              "apps/v1/DeploymentSpec apps/v1/ReplicaSetSpec "
                                              "apps/v1/DaemonSetSpec apps/v1/StatefulSetSpec",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& TemplateOwner::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&TemplateOwner::spec>("spec"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apps/v1/Deployment apps/v1/ReplicaSet apps/v1/DaemonSet apps/v1/StatefulSet",
      .entries = kEntries};
  return kTable;
}

const api::FieldTable& RevisionMetadata::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&RevisionMetadata::created>("creationTimestamp"),
  };
  static constexpr api::FieldTable kTable{.types = "meta.k8s.io/v1/ObjectMeta",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Revision::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Revision::metadata>("metadata"),
      entry<&Revision::data>("data"),
      entry<&Revision::number>("revision"),
  };
  static constexpr api::FieldTable kTable{.types = "apps/v1/ControllerRevision",
                                          .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
