#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command lab_command();

}  // namespace proa::cli
