#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

Command kubeconfig_command();

}  // namespace proa::cli
