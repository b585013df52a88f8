#pragma once

// Shared by the tests of this folder.

#include <string>
#include <vector>

#include "scheduler/plugins/preemption/candidates.h"
#include "testkit/scheduler/default_bench.h"

namespace proa::scheduler::preemption_test {

using testkit::make_budget;
using testkit::make_node;
using testkit::make_pod;
using testkit::PodBuilder;

// A node with that many CPUs.
inline testkit::NodeBuilder node(std::string_view name, int cpus) {
  return make_node(name).hostname(name).zone("z1").capacity(
      {{"cpu", std::to_string(cpus)}, {"memory", "16Gi"}, {"pods", "32"}});
}

// A pod that requests that many CPUs.
inline PodBuilder pod(std::string_view name, int cpus, int priority) {
  return make_pod(name).request({{"cpu", std::to_string(cpus)}}).priority(priority);
}

// Started at that minute.
inline PodBuilder running(std::string_view name, std::string_view where, int cpus, int priority,
                          int minute = 0) {
  const std::string digits = std::to_string(minute);
  return pod(name, cpus, priority)
      .node(where)
      .started("2026-01-01T00:" + (digits.size() == 1 ? "0" + digits : digits) + ":00Z");
}

inline std::string names(const std::vector<PodPtr>& pods) {
  std::string text;
  for (const PodPtr& one : pods) text += (text.empty() ? "" : " ") + std::string(one->name());
  return text;
}

struct PreemptionBench : testkit::DefaultBench {
  std::vector<Budget> read(const std::vector<testkit::BudgetBuilder>& builders) {
    std::vector<Budget> budgets;
    for (const testkit::BudgetBuilder& one : builders)
      budgets.push_back(read_budget(*one.object()));
    return budgets;
  }
  using testkit::DefaultBench::read;

  // "" if there are victims.
  VictimsFound select(const PodBuilder& asking, NodeIndex where,
                      const std::vector<testkit::BudgetBuilder>& builders = {}) {
    const PodPtr pod = read(asking);
    Evaluation evaluation = evaluate(*pod);
    evaluation.refresh(*pod);
    EXPECT_FALSE(evaluation.takes(where));
    return select_victims(cluster, evaluation, *pod, where, read(builders), clock.now());
  }
};

}  // namespace proa::scheduler::preemption_test
