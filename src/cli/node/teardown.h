#pragma once

#include "base/clock.h"
#include "base/files.h"
#include "cli/command_line/command.h"
#include "cli/node/node_paths.h"

namespace proa::cli {

// Ends the process that runs from a data directory: in order, and by force when it takes too long.
// False when none ran.
Result<bool> end_process(const NodePlace& place, Terminal& terminal);

// Ends the pods of a containerd of our own, then itself, and removes what they were on the machine
// besides files; starts it first where it was killed, since it alone knows how to take pods away.
// Containers get `grace` to end by themselves. How many pods there were. REQUIRES: no proa runs
// from there.
Result<size_t> end_pods(const NodePlace& place, Files& files, Clock& clock, Duration grace);

// Ends those pods in a runtime of somebody else's that ran from here; zero when there is no such
// runtime, or it does not run. REQUIRES: the same.
Result<size_t> end_foreign_pods(const NodePlace& place, Files& files, Clock& clock, Duration grace);

}  // namespace proa::cli
