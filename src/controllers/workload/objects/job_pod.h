#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

// A pod as its job sees it: what controllers ask of every pod is in pod.h.

struct JobPodAnnotations {
  std::string index;
  std::string failures;
  std::string ignored_failures;

  static const api::FieldTable& table();
};

struct JobPodMetadata {
  Time created{};
  std::optional<Time> deleted;
  int64_t grace_period_seconds = 0;
  JobPodAnnotations annotations;
  std::vector<std::string> finalizers;

  static const api::FieldTable& table();
};

struct InitContainer {
  std::string name;
  std::string_view restart_policy;

  static const api::FieldTable& table();
};

struct InitContainers {
  std::vector<InitContainer> init_containers;

  static const api::FieldTable& table();
};

struct ContainerEnd {
  int64_t exit_code = 0;
  std::optional<Time> finished;

  static const api::FieldTable& table();
};

struct ContainerState {
  ContainerEnd terminated;

  static const api::FieldTable& table();
};

struct ContainerStatus {
  std::string name;
  ContainerState state;
  int64_t restarts = 0;

  static const api::FieldTable& table();
};

struct JobPodStatus {
  std::vector<StatusCondition> conditions;
  std::vector<ContainerStatus> init_containers;
  std::vector<ContainerStatus> containers;

  static const api::FieldTable& table();
};

struct JobPod {
  JobPodMetadata metadata;
  InitContainers spec;
  JobPodStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
