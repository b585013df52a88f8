#pragma once

#include "cli/command.h"

namespace proa::cli {

Command restore_command();

}  // namespace proa::cli
