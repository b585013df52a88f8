#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command token_command();

}  // namespace proa::cli
