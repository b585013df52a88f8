#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command version_command();

}  // namespace proa::cli
