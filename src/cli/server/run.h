#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

// Runs a server: opens the store, creates missing certificates, serves until a signal arrives,
// drains.
Result<void> run_server(const Invocation& invocation, Terminal& terminal);

// The same with the local node in the same process: a complete cluster.
Result<void> run_cluster(const Invocation& invocation, Terminal& terminal);

}  // namespace proa::cli
