#pragma once

#include "cli/command.h"

namespace proa::cli {

Command completion_command();

}  // namespace proa::cli
