#pragma once

#include "sim/scenarios/checks.h"

namespace proa::sim {

// Facts about a job's pods that are not in its status.
struct PodHistory {
  bool fatal_failure = false;  // a pod failed with the exit code that fails the index or job
  int64_t restarts = 0;        // of their containers, at most
};

// Records a violation if a finished job is wrongly complete or failed. REQUIRES: it is finished.
void check_verdict(const api::Object& job, const PodHistory& history, Violations& violations);

}  // namespace proa::sim
