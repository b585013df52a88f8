#pragma once

#include "cli/command.h"

namespace proa::cli {

Command store_command();

}  // namespace proa::cli
