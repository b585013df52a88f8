#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command backup_command();

}  // namespace proa::cli
