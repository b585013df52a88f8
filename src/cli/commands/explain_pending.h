#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command explain_pending_command();

}  // namespace proa::cli
