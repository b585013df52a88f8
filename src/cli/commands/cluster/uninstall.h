#pragma once

#include <string>

#include "cli/command_line/command.h"

namespace proa::cli {

Command uninstall_command();

// What it says before it begins. `node`: the name of a node that joined a cluster elsewhere; empty:
// the cluster is here.
std::string uninstall_warning(const std::string& data_dir, const std::string& node);

}  // namespace proa::cli
