#pragma once

#include <vector>

#include "controllers/workload/deployment/facts.h"

namespace proa::controllers::deployments {

// A new size of a set.
struct Resize {
  size_t set;  // position in Sets::all
  int64_t replicas;

  bool operator==(const Resize&) const = default;
};

// The size of the new set, limited by maxSurge. `total`: sum of spec.replicas of all sets,
// including this one.
int64_t size_of_newest(const DeploymentFacts& deployment, int64_t total, int64_t size);

// One step of a rolling update: at most the maximum number of pods, at least the minimum number of
// available ones. REQUIRES: there is a newest set.
std::vector<Resize> plan_rolling(const DeploymentFacts& deployment, const Sets& sets);

// Scales old sets to zero first.
std::vector<Resize> plan_recreate(const Sets& sets);

}  // namespace proa::controllers::deployments
