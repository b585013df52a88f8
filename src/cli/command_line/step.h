#pragma once

#include <string_view>

#include "cli/command_line/command.h"

namespace proa::cli {

// Prints one step of the startup and its result.
void print_step(Terminal& terminal, std::string_view what, std::string_view text);

}  // namespace proa::cli
