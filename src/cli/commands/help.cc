#include "cli/commands/help.h"

#include "cli/command_line/suggest.h"
#include "cli/command_line/usage.h"
#include "cli/commands/table.h"

namespace proa::cli {
namespace help {

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Command& root = program_commands();
  const Command* command = &root;
  std::vector<std::string_view> path;
  for (const std::string& word : invocation.arguments) {
    const Command* inner = find_command(*command, word);
    if (inner == nullptr) {
      std::vector<std::string_view> names;
      for (const Command& each : command->commands) names.push_back(each.name);
      return Status(Reason::kNotFound, "unknown command '" + word + "'" + suggestion(word, names));
    }
    command = inner;
    path.push_back(inner->name);
  }
  terminal.out(usage(root, path, *command));
  return {};
}

}  // namespace help

Command help_command() {
  return {.name = "help",
          .summary = "Show help for a command.",
          .arguments = {{.word = "COMMAND",
                         .kind = ValueKind::kCommand,
                         .required = false,
                         .repeats = true}},
          .run = help::run};
}

}  // namespace proa::cli
