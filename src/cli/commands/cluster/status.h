#pragma once

#include "cli/command.h"

namespace proa::cli {

Command status_command();

}  // namespace proa::cli
