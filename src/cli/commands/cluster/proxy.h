#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command proxy_command();

}  // namespace proa::cli
