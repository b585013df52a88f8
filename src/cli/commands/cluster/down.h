#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command down_command();

}  // namespace proa::cli
