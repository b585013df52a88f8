#pragma once

#include "cli/command.h"

namespace proa::cli {

Command up_command();

}  // namespace proa::cli
