#include "controllers/workload/objects/disruption_budget.h"

namespace proa::controllers::objects {

using api::entry;

const api::FieldTable& DisruptionBudgetSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DisruptionBudgetSpec::min_available>("minAvailable"),
      entry<&DisruptionBudgetSpec::selector>("selector"),
      entry<&DisruptionBudgetSpec::max_unavailable>("maxUnavailable"),
  };
  static constexpr api::FieldTable kTable{.types = "policy/v1/PodDisruptionBudgetSpec",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& DisruptionBudgetStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DisruptionBudgetStatus::disrupted_pods>("disruptedPods"),
  };
  static constexpr api::FieldTable kTable{.types = "policy/v1/PodDisruptionBudgetStatus",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& DisruptionBudget::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DisruptionBudget::spec>("spec"),
      entry<&DisruptionBudget::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "policy/v1/PodDisruptionBudget",
                                          .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
