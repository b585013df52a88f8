#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command images_command();

}  // namespace proa::cli
