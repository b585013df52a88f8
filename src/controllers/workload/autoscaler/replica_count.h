#pragma once

#include <optional>
#include <vector>

#include "controllers/workload/autoscaler/pod_sample.h"

// How many replicas a metric asks for. Pure: what was measured comes in. Upstream's
// ReplicaCalculator, in other words.

namespace proa::controllers {

// How far what is used may be from what is wanted before anything is done, in parts of it.
struct Tolerances {
  double down = 0.1;
  double up = 0.1;

  bool cover(double ratio) const { return 1.0 - down <= ratio && ratio <= 1.0 + up; }
};

struct Proposal {
  int64_t replicas = 0;
  int64_t usage = 0;  // in thousandths: of a pod on average, or of all
  std::optional<int64_t> utilization = std::nullopt;  // percent of what is asked for
};

// What the metrics are about.
struct ScaledPods {
  int64_t replicas = 0;  // that are wanted now
  std::vector<const PodSample*> pods;
  Tolerances tolerances = {};
  Time now{};
};

// Pods are to use `target` percent of what they ask for.
Result<Proposal> replicas_for_utilization(const ScaledPods& scaled, PodMetrics metrics,
                                          std::string_view resource, std::string_view container,
                                          int64_t target);
// Pods are to have a metric of `target` on average. `resource`: which one the metric is about;
// empty for others.
Result<Proposal> replicas_for_average(const ScaledPods& scaled, PodMetrics metrics,
                                      std::string_view resource, int64_t target);
// A metric that all of them share is to be `target`, and changes as their number does.
Result<Proposal> replicas_for_value(const ScaledPods& scaled, int64_t usage, int64_t target);
// The same, where each of them is to have `target` of it. `replicas`: those that are there.
Proposal replicas_for_share(int64_t replicas, const Tolerances& tolerances, int64_t usage,
                            int64_t target);

// At most what fits.
int64_t sum_of(const std::vector<int64_t>& values);

}  // namespace proa::controllers
