#pragma once

#include <optional>

#include "base/clock.h"
#include "base/files.h"
#include "cli/command_line/command.h"
#include "cli/node/node_paths.h"

namespace proa::cli {

struct Teardown {
  // The most grace that a container gets; nullopt: its pod's grace period.
  std::optional<Duration> most_grace = {};
  // Whether pods and their exited containers are removed from the runtime; else the next start
  // continues with them, and `kubectl logs --previous` shows what they wrote.
  bool removes_pods = false;
  bool stops_pods = true;  // with the process
};

// Stops the process that runs from a data directory, and the containers of its pods; kills it if it
// does not exit. False if none was running.
Result<bool> end_process(const NodePaths& place, Clock& clock, const Teardown& teardown,
                         Terminal& terminal);

// Stops the pods of Proa's own containerd, then containerd, and removes their state on the host.
// Starts containerd first if it was killed, since only containerd can stop its pods. Returns the
// number of pods that were running. REQUIRES: no proa runs from there.
Result<size_t> end_pods(const NodePaths& place, Files& files, Clock& clock,
                        const Teardown& teardown);

// Stops this data directory's pods in an external runtime; zero if there is none or it is not
// running. REQUIRES: the same.
Result<size_t> end_foreign_pods(const NodePaths& place, Files& files, Clock& clock,
                                const Teardown& teardown);

}  // namespace proa::cli
