#pragma once

#include "cli/command.h"

namespace proa::cli {

Command down_command();

}  // namespace proa::cli
