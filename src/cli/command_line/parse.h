#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// A parsed command line, before environment and configuration are applied.
struct CommandLine {
  const Command* command = nullptr;    // never null in a result
  std::vector<std::string_view> path;  // {"store", "check"}
  std::map<std::string, std::string, std::less<>> flags;
  std::vector<std::string> arguments;
  bool help = false;  // -h or --help was given; arguments were not validated
};

// `words` excludes the program name. `root` has the global flags. Errors are usage errors and
// suggest the nearest valid word. Sets `path`, unless null, to the command that the words name, on
// failure too.
Result<CommandLine> parse_command_line(const Command& root, std::span<const std::string> words,
                                       std::vector<std::string_view>* path = nullptr);

// The synopsis of a command: "proa store check DIR [flags]".
std::string synopsis(const Command& root, std::span<const std::string_view> path,
                     const Command& command);

}  // namespace proa::cli
