#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command server_command();

}  // namespace proa::cli
