#pragma once

#include "cli/command.h"

namespace proa::cli {

Command explain_pending_command();

}  // namespace proa::cli
