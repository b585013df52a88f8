#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

struct DeploymentAnnotations {
  std::string rollback_to;

  static const api::FieldTable& table();
};

struct DeploymentMetadata {
  DeploymentAnnotations annotations;

  static const api::FieldTable& table();
};

struct DeploymentStrategy {
  std::string_view type;
  RollingUpdate rolling;

  static const api::FieldTable& table();
};

struct DeploymentSpec {
  int64_t replicas = 1;
  api::LabelSelector selector = api::LabelSelector::nothing();
  DeploymentStrategy strategy;
  int64_t min_ready_seconds = 0;
  std::optional<int64_t> history_limit;
  bool paused = false;
  std::optional<int64_t> progress_deadline_seconds;

  static const api::FieldTable& table();
};

struct DeploymentStatus {
  int64_t replicas = 0;

  static const api::FieldTable& table();
};

struct Deployment {
  DeploymentMetadata metadata;
  DeploymentSpec spec;
  DeploymentStatus status;

  static const api::FieldTable& table();
};

// What a deployment writes on its ReplicaSets.
struct OwnedSetAnnotations {
  std::string revision;
  std::string desired_replicas;
  std::string max_replicas;

  static const api::FieldTable& table();
};

struct OwnedSetMetadata {
  Time created{};
  OwnedSetAnnotations annotations;

  static const api::FieldTable& table();
};

struct OwnedSetSpec {
  int64_t replicas = 1;
  int64_t min_ready_seconds = 0;

  static const api::FieldTable& table();
};

struct OwnedSetStatus {
  int64_t replicas = 0;
  int64_t ready = 0;
  int64_t available = 0;
  std::optional<int64_t> terminating;
  int64_t observed_generation = 0;
  std::vector<StatusCondition> conditions;

  static const api::FieldTable& table();
};

// A ReplicaSet as its deployment sees it.
struct OwnedSet {
  OwnedSetMetadata metadata;
  OwnedSetSpec spec;
  OwnedSetStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
