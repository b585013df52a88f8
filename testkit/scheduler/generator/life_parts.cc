#include "testkit/scheduler/generator/plot.h"

// Priorities and lifecycle of pods.

namespace proa::testkit::generator {
namespace life_parts {

std::string minute(int number) {
  return "2026-01-01T00:" + std::string(number < 10 ? "0" : "") + std::to_string(number) + ":00Z";
}

void terminate(const Plot&, Dice& dice, PodPlan& pod) {
  if (!pod.runs() || !dice.percent(15)) return;
  pod.builder.deleted_at("2026-01-01T02:00:00Z").json("metadata.deletionGracePeriodSeconds", "30");
}

void finish(const Plot&, Dice& dice, PodPlan& pod) {
  if (pod.runs() && dice.percent(15)) pod.builder.phase(dice.pick({"Succeeded", "Failed"}));
}

void set_priority(const Plot&, Dice& dice, PodPlan& pod) {
  constexpr int64_t kPriorities[] = {-10, 0, 0, 100, 100, 1000};
  // Pending pods often have a higher priority.
  const int64_t more = !pod.runs() && dice.percent(50) ? 500 : 0;
  pod.builder.priority(kPriorities[dice.below(std::size(kPriorities))] + more);
  if (dice.percent(15)) pod.builder.never_preempts();
  if (pod.runs()) pod.builder.started(minute(dice.between(0, 59)));
}

void nominate(const Plot& plot, Dice& dice, PodPlan& pod) {
  if (!pod.runs() && dice.percent(30)) pod.builder.nominated(plot.any_node(dice));
}

constexpr Part kParts[] = {
    {Feature::kTerminating, nullptr, terminate},
    {Feature::kFinished, nullptr, finish},
    {Feature::kPriorities, nullptr, set_priority},
    {Feature::kNominated, nullptr, nominate},
};

}  // namespace life_parts

std::span<const Part> parts_of_life() { return life_parts::kParts; }

void add_budgets(const Plot& plot, TestCluster& cluster) {
  if (!plot.has(Feature::kBudgets)) return;
  Dice dice = plot.dice(Feature::kBudgets, 0);
  for (const std::string& name_space : namespaces_of(plot)) {
    for (int index = dice.between(0, 3); index > 0; --index) {
      BudgetBuilder budget = make_budget("budget-" + std::to_string(index));
      budget.in(name_space).allowed(dice.between(0, 2)).json("spec.minAvailable", "1");
      if (dice.percent(80)) {
        budget.selector({{"app", random_app(dice)}});
      } else if (dice.percent(50)) {
        budget.json("spec.selector", "{}");
      }
      if (dice.percent(30)) budget.disrupted("pod-" + std::to_string(dice.below(20)));
      cluster.disruption_budgets.push_back(budget.object());
    }
  }
}

}  // namespace proa::testkit::generator
