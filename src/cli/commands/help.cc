#include "cli/commands/help.h"

#include "cli/command_line/suggest.h"
#include "cli/command_line/usage.h"
#include "cli/commands/table.h"

namespace proa::cli {
namespace help {

// The command that the arguments name, and its path.
struct Asked {
  const Command* command = nullptr;
  std::vector<std::string_view> path = {};
};

Result<Asked> find(const Invocation& invocation) {
  Asked asked{.command = &program_commands()};
  for (const std::string& word : invocation.arguments) {
    const Command* inner = find_command(*asked.command, word);
    if (inner == nullptr) {
      std::vector<std::string_view> names;
      for (const Command& each : asked.command->commands) names.push_back(each.name);
      return Status(Reason::kNotFound, "unknown command '" + word + "'" + suggestion(word, names));
    }
    asked.command = inner;
    asked.path.push_back(inner->name);
  }
  return asked;
}

Result<void> check(const Invocation& invocation) {
  TRY(find(invocation));
  return {};
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Asked asked = TRY(find(invocation));
  terminal.out(usage(program_commands(), asked.path, *asked.command));
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
          .run = help::run,
          .check = help::check};
}

}  // namespace proa::cli
