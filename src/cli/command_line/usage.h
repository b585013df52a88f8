#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/command_line/command.h"

namespace proa::cli {

// The text of `proa help COMMAND`: synopsis, description, commands and flags.
std::string usage(const Command& root, std::span<const std::string_view> path,
                  const Command& command);

}  // namespace proa::cli
