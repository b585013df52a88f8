#pragma once

#include <vector>

#include "controllers/workload/deployment/facts.h"

namespace proa::controllers::deployments {

// How many pods one of the sets is to ask for.
struct Resize {
  size_t set;  // its place among all
  int64_t replicas;

  bool operator==(const Resize&) const = default;
};

// How many pods a new set may begin with, or grow to: up to the most pods that there may be.
// `total`: what all sets ask for, this one included.
int64_t size_of_newest(const DeploymentFacts& deployment, int64_t total, int64_t size);

// What can be done now to bring the newest set up and the old ones down: no more pods than the
// deployment may have, no fewer available ones than it must have. REQUIRES: there is a newest set.
std::vector<Resize> plan_rolling(const DeploymentFacts& deployment, const Sets& sets);

// All pods of old sets go before new ones come.
std::vector<Resize> plan_recreate(const Sets& sets);

}  // namespace proa::controllers::deployments
