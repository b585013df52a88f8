#pragma once

#include <span>
#include <string>

#include "cli/command_line/command.h"
#include "cli/command_line/settings.h"

namespace proa::cli {

// What the process ends with; documented in docs/operations.md.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // the command ran and failed
inline constexpr int kExitUsage =
    2;  // nothing was run: command line, environment or configuration is wrong

// The whole program, apart from the process around it. `words` without the program's name.
int run_program(const Command& root, std::span<const std::string> words,
                const Environment& environment, Terminal& terminal);

}  // namespace proa::cli
