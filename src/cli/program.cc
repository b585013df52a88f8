#include "cli/program.h"

#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/log.h"
#include "cli/command_line/config_file.h"
#include "cli/command_line/parse.h"
#include "cli/command_line/usage.h"
#include "cli/host/rights.h"

namespace proa::cli {
namespace program {

Result<void> set_up_log(const Settings& settings) {
  const Result<void> levels = set_log_levels(settings.text("log-level"));
  if (!levels.ok()) return levels.status().in("log-level");
  set_log_format(settings.text("log-format") == "json" ? LogFormat::kJson : LogFormat::kText);
  return {};
}

const Flag& flag_named(const Command& command, std::string_view name) {
  const auto found = std::ranges::find(command.flags, name, &Flag::name);
  CHECK(found != command.flags.end());
  return *found;
}

Result<Invocation> prepare(const Command& root, CommandLine line, const Environment& environment) {
  GivenValues given;
  for (auto& [name, value] : line.flags) given[name] = {std::move(value), "--" + name};
  const GivenValue file = TRY(resolve_flag(flag_named(root, "config"), given, environment, {}));
  SystemFiles files;
  const GivenValues config = TRY(read_config(files, file.value, !file.source.empty(), root));

  std::vector<Flag> flags = root.flags;
  flags.insert(flags.end(), line.command->flags.begin(), line.command->flags.end());
  Settings settings = TRY(resolve_settings(flags, given, environment, config));
  TRY(set_up_log(settings));
  return Invocation{std::move(line.arguments), std::move(settings)};
}

int refuse(const Command& root, const Status& status, std::string_view command,
           Terminal& terminal) {
  std::string text(root.name);
  text += ": " + status.message() + "\nSee '" + std::string(root.name) + " help" +
          std::string(command) + "'.\n";
  terminal.error(text);
  return kExitUsage;
}

// False: the answer to a question is no.
Result<bool> carry_out(const Command& command, const Invocation& invocation, Terminal& terminal) {
  if (command.ask != nullptr) return command.ask(invocation, terminal);
  TRY(command.run(invocation, terminal));
  return true;
}

}  // namespace program

int run_program(const Command& root, std::span<const std::string> words,
                const Environment& environment, Terminal& terminal) {
  if (words.size() == 1 && words[0] == "--version") {
    const std::string version[] = {"version"};
    return run_program(root, version, environment, terminal);
  }
  std::vector<std::string_view> path;
  auto line = parse_command_line(root, words, &path);
  std::string command;
  for (const std::string_view name : path) command.append(" ").append(name);
  if (!line.ok()) return program::refuse(root, line.status(), command, terminal);
  if (line->help || !line->command->does_something()) {
    terminal.out(usage(root, line->path, *line->command));
    return kExitOk;
  }
  const Command& chosen = *line->command;
  const auto invocation = program::prepare(root, std::move(*line), environment);
  if (!invocation.ok()) return program::refuse(root, invocation.status(), command, terminal);
  if (chosen.check != nullptr) {
    const Result<void> checked = chosen.check(*invocation);
    if (!checked.ok()) return program::refuse(root, checked.status(), command, terminal);
  }

  const Result<bool> done = program::carry_out(chosen, *invocation, terminal);
  if (done.ok()) return *done ? kExitOk : kExitNo;
  terminal.error(std::string(root.name) + command + ": " +
                 with_rights_hint(done.status(), geteuid() == 0).message() + "\n");
  return kExitFailed;
}

}  // namespace proa::cli
