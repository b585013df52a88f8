#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command restore_command();

}  // namespace proa::cli
