#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command lab_list_command();
Command lab_status_command();

}  // namespace proa::cli
