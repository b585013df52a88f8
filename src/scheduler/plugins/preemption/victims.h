#pragma once

#include <optional>
#include <span>
#include <vector>

#include "scheduler/framework/diagnosis.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/preemption/budgets.h"

namespace proa::scheduler {

// Whom to take away from a node so that a pod fits, and what that costs.
struct Victims {
  std::vector<PodPtr> pods = {};  // the most important first; never empty
  int64_t violations = 0;         // of disruption budgets

  // Worked out of the pods, for comparing.
  int32_t highest_priority = 0;
  int64_t priority_sum = 0;  // each counted from the least priority there is
  Time started{};            // the earliest of those of the highest priority
};

struct VictimsFound {
  std::optional<Victims> victims = std::nullopt;
  Verdict verdict = {};  // why there are none
};

// The fewest and least important pods on the node whose going lets the pod in: of lower priority
// than it, and those that no budget protects before others. The cluster is as it was afterwards.
// `now`: what counts as the start of pods that did not start yet.
VictimsFound select_victims(Cluster& cluster, Diagnosis& diagnosis, const Pod& pod, NodeIndex node,
                            std::span<const Budget> budgets, Time now);

// Whether it costs less to take `a` away than `b`; upstream's order of criteria.
bool costs_less(const Victims& a, const Victims& b);

// Upstream's MoreImportantPod.
bool more_important(const Pod& a, const Pod& b, Time now);

}  // namespace proa::scheduler
