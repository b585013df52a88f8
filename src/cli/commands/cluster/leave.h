#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

// `proa node leave`.
Command leave_command();

}  // namespace proa::cli
