#pragma once

#include <string>
#include <vector>

#include "cli/command_line/command.h"

namespace proa::cli {

// A warning for each variable of the environment ("NAME=value") whose name is nearly, but not
// exactly, that of a flag of some command: "PROA_LOG_LEVL is not a setting; did you mean
// 'PROA_LOG_LEVEL'?". Other names that begin with PROA_ may belong to other programs.
std::vector<std::string> variable_warnings(const Command& root,
                                           const std::vector<std::string>& environment);

}  // namespace proa::cli
