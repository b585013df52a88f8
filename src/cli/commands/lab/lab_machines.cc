#include "cli/commands/lab/lab_machines.h"

#include <cstdlib>

#include "cli/commands/lab/lab_settings.h"
#include "cli/host/rights.h"
#include "lab/machine/enter.h"

namespace proa::cli {
namespace lab_machines {

// The words after the name of the machine, with or without "--" between.
std::vector<std::string> program_of(const Invocation& invocation) {
  const std::vector<std::string>& words = invocation.arguments;
  const size_t first = words.size() > 1 && words[1] == "--" ? 2 : 1;
  return {words.begin() + static_cast<ptrdiff_t>(std::min(first, words.size())), words.end()};
}

Result<void> check_exec(const Invocation& invocation) {
  TRY(check_lab_flags(invocation));
  if (program_of(invocation).empty()) {
    return Status(Reason::kBadRequest, "'lab exec' requires a command: proa lab exec " +
                                           invocation.arguments[0] + " -- COMMAND");
  }
  return {};
}

Result<void> exec(const Invocation& invocation, Terminal& terminal) {
  TRY(require_root("entering a machine"));
  LabTools tools(invocation.settings, terminal);
  const lab::Lab opened = TRY(tools.open());
  const std::string& machine = invocation.arguments[0];
  const ProcessHandle first = TRY(opened.first_process(machine));
  const int code = TRY(lab::run_inside(opened.paths(), machine, first, program_of(invocation)));
  // The code of the command is ours.
  if (code != 0) std::exit(code);
  return {};
}

Result<void> kill(const Invocation& invocation, Terminal& terminal) {
  TRY(require_root("ending a machine"));
  LabTools tools(invocation.settings, terminal);
  lab::Lab opened = TRY(tools.open());
  TRY(opened.kill(invocation.arguments[0]));
  terminal.out(invocation.arguments[0] + " is off\n");
  return {};
}

Result<void> start(const Invocation& invocation, Terminal& terminal) {
  TRY(require_root("starting a machine"));
  LabTools tools(invocation.settings, terminal);
  lab::Lab opened = TRY(tools.open());
  return opened.start(invocation.arguments[0], {});
}

}  // namespace lab_machines

Command lab_exec_command() {
  return {
      .name = "exec",
      .summary = "Run a command in a machine of a lab.",
      .description =
          "As `docker exec -it` does: with this terminal, standard input and output. The exit\n"
          "code is that of the command. `proa lab status` lists the machines: node-1 and so on,\n"
          "client, switch. Flags of `proa lab exec` stand before MACHINE:\n"
          "  proa lab exec --name other node-2 -- bash\n"
          "A machine has this host's programs and files, but its own /run, /tmp, /var/lib and\n"
          "/var/log; `proa` there is this program. Files of these folders come by standard input:\n"
          "  proa lab exec node-2 -- proa images import - < /tmp/image.tar\n"
          "The log of a node:\n"
          "  proa lab exec node-2 -- tail -f /var/log/proa.log",
      .arguments = {{.word = "MACHINE"}, {.word = "[--] COMMAND", .repeats = true}},
      .flags = lab_flags(),
      .run = lab_machines::exec,
      .check = lab_machines::check_exec,
      .takes_any_words = true};
}

Command lab_kill_command() {
  return {.name = "kill",
          .summary = "End a machine of a lab as if its power failed.",
          .description =
              "Its processes, pods included, end at once; its link and its /run are gone. Its\n"
              "disk stays. `proa lab start` starts it again.",
          .arguments = {{.word = "MACHINE"}},
          .flags = lab_flags(),
          .run = lab_machines::kill,
          .check = check_lab_flags};
}

Command lab_start_command() {
  return {.name = "start",
          .summary = "Start a machine after `proa lab kill`, or Proa after `proa down` in it.",
          .arguments = {{.word = "MACHINE"}},
          .flags = lab_flags(),
          .run = lab_machines::start,
          .check = check_lab_flags};
}

}  // namespace proa::cli
