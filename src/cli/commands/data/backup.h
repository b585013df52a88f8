#pragma once

#include "cli/command.h"

namespace proa::cli {

Command backup_command();

}  // namespace proa::cli
