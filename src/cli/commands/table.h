#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

// The program: all its commands, and the flags that every command takes.
const Command& program_commands();

}  // namespace proa::cli
