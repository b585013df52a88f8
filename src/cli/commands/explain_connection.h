#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command explain_connection_command();

}  // namespace proa::cli
