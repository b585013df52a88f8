#pragma once

#include "cli/command.h"

namespace proa::cli {

Command token_command();

}  // namespace proa::cli
