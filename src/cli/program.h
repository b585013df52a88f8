#pragma once

#include <span>
#include <string>

#include "cli/command_line/command.h"
#include "cli/command_line/settings.h"

namespace proa::cli {

// Exit codes; documented in docs/operations.md.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // the command ran and failed
inline constexpr int kExitUsage =
    2;  // nothing was run: command line, environment or configuration is wrong
inline constexpr int kExitNo = 3;  // the command answers a question, with no

// The whole program except for process setup. `words` excludes the program name.
int run_program(const Command& root, std::span<const std::string> words,
                const Environment& environment, Terminal& terminal);

}  // namespace proa::cli
