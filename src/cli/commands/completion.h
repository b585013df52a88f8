#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command completion_command();

}  // namespace proa::cli
