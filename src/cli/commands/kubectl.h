#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command kubectl_command();

}  // namespace proa::cli
