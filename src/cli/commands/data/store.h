#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command store_command();

}  // namespace proa::cli
