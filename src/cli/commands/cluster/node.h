#pragma once

#include "cli/command.h"

namespace proa::cli {

Command node_command();

}  // namespace proa::cli
