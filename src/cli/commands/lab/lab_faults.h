#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command lab_cut_command();
Command lab_slow_command();
Command lab_heal_command();

}  // namespace proa::cli
