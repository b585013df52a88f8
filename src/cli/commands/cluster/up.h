#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command up_command();

}  // namespace proa::cli
