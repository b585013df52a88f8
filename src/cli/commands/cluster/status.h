#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command status_command();

}  // namespace proa::cli
