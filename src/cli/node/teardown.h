#pragma once

#include "base/clock.h"
#include "base/files.h"
#include "cli/command_line/command.h"
#include "cli/node/node_paths.h"

namespace proa::cli {

// Stops the process that runs from a data directory, and kills it after a timeout. False if none
// was running.
Result<bool> end_process(const NodePaths& place, Terminal& terminal);

// Stops the pods of Proa's own containerd, then containerd, and removes their state on the host.
// Starts containerd first if it was killed, since only containerd can remove its pods. Containers
// get `grace` to exit. Returns the number of pods. REQUIRES: no proa runs from there.
Result<size_t> end_pods(const NodePaths& place, Files& files, Clock& clock, Duration grace);

// Stops this data directory's pods in an external runtime; zero if there is none or it is not
// running. REQUIRES: the same.
Result<size_t> end_foreign_pods(const NodePaths& place, Files& files, Clock& clock, Duration grace);

}  // namespace proa::cli
