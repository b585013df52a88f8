#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"

namespace proa::controllers::objects {

struct PodAnnotations {
  std::string deletion_cost;

  static const api::FieldTable& table();
};

struct PodMetadata {
  Time created{};
  PodAnnotations annotations;

  static const api::FieldTable& table();
};

struct PodSpec {
  api::NodeName node;

  static const api::FieldTable& table();
};

struct PodContainerStatus {
  int64_t restarts = 0;

  static const api::FieldTable& table();
};

// A condition without its texts, which most do not ask for.
struct PodConditionState {
  std::string_view type;
  std::string_view status;
  std::string_view last_transition;

  static const api::FieldTable& table();
};

struct PodStatus {
  std::string_view phase;
  std::vector<PodConditionState> conditions;
  std::string address;
  std::vector<PodContainerStatus> init_containers;
  std::vector<PodContainerStatus> containers;

  static const api::FieldTable& table();
};

struct Pod {
  PodMetadata metadata;
  PodSpec spec;
  PodStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
