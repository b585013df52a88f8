#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

struct ClaimTemplateMetadata {
  std::string name;

  static const api::FieldTable& table();
};

struct ClaimTemplate {
  ClaimTemplateMetadata metadata;

  static const api::FieldTable& table();
};

struct StatefulOrdinals {
  int64_t start = 0;

  static const api::FieldTable& table();
};

struct StatefulPartition {
  int64_t partition = 0;

  static const api::FieldTable& table();
};

struct StatefulStrategy {
  std::string_view type;
  std::optional<StatefulPartition> rolling;

  static const api::FieldTable& table();
};

struct StatefulClaimRetention {
  std::string_view when_deleted;
  std::string_view when_scaled;

  static const api::FieldTable& table();
};

struct StatefulSetSpec {
  int64_t replicas = 1;
  std::vector<ClaimTemplate> claim_templates;
  std::string service;
  std::string_view pod_management;
  StatefulStrategy strategy;
  int64_t history_limit = 10;
  int64_t min_ready_seconds = 0;
  StatefulClaimRetention claim_retention;
  StatefulOrdinals ordinals;

  static const api::FieldTable& table();
};

struct StatefulSetStatus {
  int64_t current_replicas = 0;
  std::string current_revision;
  std::string update_revision;
  int64_t collisions = 0;

  static const api::FieldTable& table();
};

struct StatefulSet {
  StatefulSetSpec spec;
  StatefulSetStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
