#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command lab_exec_command();
Command lab_kill_command();
Command lab_start_command();

}  // namespace proa::cli
