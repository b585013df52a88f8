#pragma once

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

struct TemplateMetadata {
  api::MapSelector labels;

  static const api::FieldTable& table();
};

struct LabeledTemplate {
  TemplateMetadata metadata;

  static const api::FieldTable& table();
};

struct ReplicaSetSpec {
  int64_t replicas = 1;
  int64_t min_ready_seconds = 0;
  api::LabelSelector selector = api::LabelSelector::nothing();
  LabeledTemplate pod_template;

  static const api::FieldTable& table();
};

struct ReplicaSet {
  ReplicaSetSpec spec;

  static const api::FieldTable& table();
};

struct ReplicationControllerSpec {
  int64_t replicas = 1;
  int64_t min_ready_seconds = 0;
  api::MapSelector selector;
  LabeledTemplate pod_template;

  static const api::FieldTable& table();
};

struct ReplicationController {
  ReplicationControllerSpec spec;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
