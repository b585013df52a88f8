#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

// `proa dns query`: which record answers a name, and why.
Command dns_command();

}  // namespace proa::cli
