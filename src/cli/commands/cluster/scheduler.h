#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command scheduler_command();

}  // namespace proa::cli
