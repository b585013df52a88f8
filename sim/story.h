#pragma once

#include "sim/scenario.h"

namespace proa::sim {

// The result of one seed.
struct Outcome {
  std::vector<std::string> violations;  // empty: success
  Duration simulated{};
  size_t writes = 0;  // by controllers
};

// Runs a scenario: users act, pods are created and deleted, time passes, controllers are killed
// after any write, their watches break and lag. Then all faults end and the cluster comes to rest.
// Deterministic for a seed.
Outcome play(const ScenarioEntry& entry, uint64_t seed);

}  // namespace proa::sim
