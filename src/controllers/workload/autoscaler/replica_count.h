#pragma once

#include <optional>
#include <vector>

#include "controllers/workload/autoscaler/pod_sample.h"

// The replica count that a metric proposes. Pure functions; upstream's ReplicaCalculator.

namespace proa::controllers {

// How far the ratio of usage to target may be from 1 without scaling.
struct Tolerances {
  double down = 0.1;
  double up = 0.1;

  bool cover(double ratio) const { return 1.0 - down <= ratio && ratio <= 1.0 + up; }
};

struct Proposal {
  int64_t replicas = 0;
  int64_t usage = 0;                                  // in thousandths: average per pod, or total
  std::optional<int64_t> utilization = std::nullopt;  // percent of requests
};

// The pods of the scale target.
struct ScaledPods {
  int64_t replicas = 0;  // spec.replicas of the scale
  std::vector<const PodSample*> pods;
  Tolerances tolerances = {};
  Time now{};
};

// Target: average usage is `target` percent of the requests.
Result<Proposal> replicas_for_utilization(const ScaledPods& scaled, PodMetrics metrics,
                                          std::string_view resource, std::string_view container,
                                          int64_t target);
// Target: the metric is `target` per pod on average. `resource`: its resource; empty for custom
// metrics.
Result<Proposal> replicas_for_average(const ScaledPods& scaled, PodMetrics metrics,
                                      std::string_view resource, int64_t target);
// Target: the total of the metric is `target`; it is assumed to be inversely proportional to the
// replica count.
Result<Proposal> replicas_for_value(const ScaledPods& scaled, int64_t usage, int64_t target);
// Target: the total divided by the replica count is `target`. `replicas`: status.replicas.
Proposal replicas_for_average_value(int64_t replicas, const Tolerances& tolerances, int64_t usage,
                                    int64_t target);

// Saturates at the largest int64.
int64_t sum_of(const std::vector<int64_t>& values);

}  // namespace proa::controllers
