#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "base/time.h"
#include "lab/plan/paths.h"
#include "lab/plan/plan.h"

namespace proa::lab {

struct Launch {
  const LabPaths& lab;
  const Plan& plan;
  const Machine& machine;
  Duration patience{};  // until its service is ready
};

// Starts a machine: its namespaces, cgroup and link, and a first process, which outlives us and is
// recorded. Returns when its service is ready. On failure nothing of it runs. REQUIRES: this
// process has one thread, and exits next: it is in the machine's cgroup. The switch runs, if this
// is not the switch.
Result<void> launch_machine(const Launch& launch, Random& random, Clock& clock);

// The cgroup of a machine, and the one of its first process and its service.
std::string machine_cgroup(const LabPaths& lab, const std::string& machine);
std::string init_cgroup(const LabPaths& lab, const std::string& machine);

}  // namespace proa::lab
