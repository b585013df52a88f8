#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/command_line/command.h"

namespace proa::cli {

// What `proa help COMMAND` prints: how it is called, what it does, its commands and flags.
std::string usage(const Command& root, std::span<const std::string_view> path,
                  const Command& command);

}  // namespace proa::cli
