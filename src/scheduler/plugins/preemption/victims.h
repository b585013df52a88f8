#pragma once

#include <optional>
#include <span>
#include <vector>

#include "scheduler/framework/diagnosis.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/preemption/budgets.h"

namespace proa::scheduler {

// The pods to evict from a node so that a pod fits, and the cost.
struct Victims {
  std::vector<PodPtr> pods = {};  // highest priority first; never empty
  int64_t violations = 0;         // of disruption budgets

  // Derived from the pods, for comparisons.
  int32_t highest_priority = 0;
  int64_t priority_sum = 0;  // relative to the lowest possible priority
  Time started{};            // the earliest start among those of the highest priority
};

struct VictimsFound {
  std::optional<Victims> victims = std::nullopt;
  Verdict verdict = {};  // why there are none
};

// The minimal set of lower priority pods whose eviction makes the pod fit, preferring pods without
// a violated budget. The cluster is unchanged afterwards. `now`: counts as the start time of pods
// that have not started.
VictimsFound select_victims(Cluster& cluster, Diagnosis& diagnosis, const Pod& pod, NodeIndex node,
                            std::span<const Budget> budgets, Time now);

// Whether evicting `a` is preferable to `b`, by upstream's criteria.
bool costs_less(const Victims& a, const Victims& b);

// Upstream's MoreImportantPod.
bool more_important(const Pod& a, const Pod& b, Time now);

}  // namespace proa::scheduler
