#pragma once

#include "cli/command.h"

namespace proa::cli {

Command scheduler_command();

}  // namespace proa::cli
