#pragma once

#include "cli/command_line/command.h"

namespace proa::cli {

// Runs `proa up` with these settings in a process of its own, which outlives this one, and prints
// its output until it is ready. Fails if it ends before.
Result<void> run_detached(const Settings& settings, Terminal& terminal);

// The command line for that process: every value is explicit, since the environment of the two may
// differ.
std::vector<std::string> detached_words(const Settings& settings);

// How a person calls another command for the same cluster: "`proa down --data-dir /srv/proa`",
// without the flag where it is the default.
std::string command_for(std::string_view command, const Settings& settings);

}  // namespace proa::cli
