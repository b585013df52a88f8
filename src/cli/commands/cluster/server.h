#pragma once

#include "cli/command.h"

namespace proa::cli {

Command server_command();

}  // namespace proa::cli
