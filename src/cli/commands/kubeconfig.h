#pragma once

#include "cli/command.h"

namespace proa::cli {

Command kubeconfig_command();

}  // namespace proa::cli
