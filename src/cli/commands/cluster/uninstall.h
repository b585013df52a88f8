#pragma once

#include "cli/command.h"

namespace proa::cli {

Command uninstall_command();

}  // namespace proa::cli
