#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command help_command();

}  // namespace proa::cli
