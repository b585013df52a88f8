#pragma once

#include <string>
#include <vector>

#include "cli/command_line/command.h"

namespace proa::cli {

// The flags of commands that start a server, and the server itself: opens the store, makes what is
// missing of certificates, serves until a signal comes, drains.
std::vector<Flag> server_flags();
Result<void> run_server(const Invocation& invocation, Terminal& terminal);

// The same with the node of this machine in the same process: a whole cluster.
std::vector<Flag> cluster_flags();
Result<void> run_cluster(const Invocation& invocation, Terminal& terminal);

Flag data_dir_flag();

}  // namespace proa::cli
