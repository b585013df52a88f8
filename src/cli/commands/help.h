#pragma once

#include "cli/command.h"

namespace proa::cli {

Command help_command();

}  // namespace proa::cli
