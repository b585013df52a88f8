#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command uninstall_command();

}  // namespace proa::cli
