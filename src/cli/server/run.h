#pragma once

#include <string>
#include <vector>

#include "cli/command_line/command.h"

namespace proa::cli {

// Runs a server: opens the store, creates missing certificates, serves until a signal arrives,
// drains.
std::vector<Flag> server_flags();
Result<void> check_server_flags(const Invocation& invocation);
Result<void> run_server(const Invocation& invocation, Terminal& terminal);

// The same with the local node in the same process: a complete cluster.
std::vector<Flag> cluster_flags();
Result<void> check_cluster_flags(const Invocation& invocation);
Result<void> run_cluster(const Invocation& invocation, Terminal& terminal);

Flag data_dir_flag();
Flag server_flag();

}  // namespace proa::cli
