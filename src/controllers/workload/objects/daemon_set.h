#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

struct DaemonAnnotations {
  std::string template_generation;

  static const api::FieldTable& table();
};

struct DaemonMetadata {
  DaemonAnnotations annotations;

  static const api::FieldTable& table();
};

struct DaemonStrategy {
  std::string_view type;
  RollingUpdate rolling;

  static const api::FieldTable& table();
};

struct DaemonTemplate {
  api::RawJson spec;  // which nodes it fits is worked out of all of it

  static const api::FieldTable& table();
};

struct DaemonSetSpec {
  DaemonTemplate pod_template;
  DaemonStrategy strategy;
  int64_t min_ready_seconds = 0;
  int64_t history_limit = 10;

  static const api::FieldTable& table();
};

struct DaemonSetStatus {
  int64_t observed_generation = 0;
  int64_t collisions = 0;

  static const api::FieldTable& table();
};

struct DaemonSet {
  DaemonMetadata metadata;
  DaemonSetSpec spec;
  DaemonSetStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
