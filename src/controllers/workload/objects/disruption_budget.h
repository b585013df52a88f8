#pragma once

#include <map>
#include <optional>
#include <string>

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

struct DisruptionBudgetSpec {
  std::optional<api::IntOrString> min_available;
  api::RawJson selector;
  std::optional<api::IntOrString> max_unavailable;

  static const api::FieldTable& table();
};

struct DisruptionBudgetStatus {
  // By pod name: the time of the eviction, as written.
  std::map<std::string, std::string, std::less<>> disrupted_pods;

  static const api::FieldTable& table();
};

struct DisruptionBudget {
  DisruptionBudgetSpec spec;
  DisruptionBudgetStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
