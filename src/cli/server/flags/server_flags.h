#pragma once

#include <vector>

#include "cli/command_line/command.h"

namespace proa::cli {

// All flags of `proa server`.
std::vector<Flag> server_flags();
Result<void> check_server_flags(const Invocation& invocation);

// All flags of `proa up`: a server with the local node in the same process.
std::vector<Flag> cluster_flags();
Result<void> check_cluster_flags(const Invocation& invocation);

Flag data_dir_flag();
Flag server_flag();

}  // namespace proa::cli
