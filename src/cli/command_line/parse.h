#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// What a command line says, before environment and configuration are asked.
struct CommandLine {
  const Command* command = nullptr;    // never null in a result
  std::vector<std::string_view> path;  // {"store", "check"}
  std::map<std::string, std::string, std::less<>> flags;
  std::vector<std::string> arguments;
  bool help = false;  // -h or --help: the arguments were not counted
};

// `words` without the program's own name. `root` carries the flags that every command takes. A
// failure is about the user's words and names the word that was probably meant.
Result<CommandLine> parse_command_line(const Command& root, std::span<const std::string> words);

// "proa store check DIR": how a command is called.
std::string synopsis(const Command& root, std::span<const std::string_view> path,
                     const Command& command);

}  // namespace proa::cli
