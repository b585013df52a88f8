#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command node_command();

}  // namespace proa::cli
