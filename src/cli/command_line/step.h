#pragma once

#include <string_view>

#include "cli/command_line/command.h"

namespace proa::cli {

// A line of a start: what was done, and what came of it.
void say_step(Terminal& terminal, std::string_view what, std::string_view text);

}  // namespace proa::cli
