#pragma once

#include "sim/scenario.h"

namespace proa::sim {

// How one seed went.
struct Outcome {
  std::vector<std::string> complaints;  // none: all is well
  Duration simulated{};
  size_t writes = 0;  // of controllers
};

// Plays a scenario: users act, pods come and go, time passes, controllers are killed behind any
// write, their watches break off and lag behind. Then all of that ends, and after a while nothing
// happens any more. The same seed plays the same story.
Outcome play(const ScenarioEntry& entry, uint64_t seed);

}  // namespace proa::sim
