#include "cli/commands/lab/lab_faults.h"

#include "cli/commands/lab/lab_settings.h"
#include "cli/host/rights.h"

namespace proa::cli {
namespace lab_faults {

Result<void> cut(const Invocation& invocation, Terminal& terminal) {
  TRY(require_root("changing a lab's network"));
  LabTools tools(invocation.settings, terminal);
  lab::Lab opened = TRY(tools.open());
  const std::vector<std::string>& pair = invocation.arguments;
  TRY(opened.add_fault({.a = pair[0], .b = pair[1]}));
  terminal.out("nothing passes between " + pair[0] + " and " + pair[1] + "\n");
  return {};
}

Result<void> check_slow(const Invocation& invocation) {
  TRY(check_lab_flags(invocation));
  constexpr Duration kMost = std::chrono::minutes(1);
  const Duration delay = invocation.settings.duration("delay");
  if (delay > Duration(0) && delay <= kMost) return {};
  return Status(Reason::kInvalid, "--delay must be more than 0 and at most 1m, not " +
                                      invocation.settings.text("delay"));
}

Result<void> slow(const Invocation& invocation, Terminal& terminal) {
  TRY(require_root("changing a lab's network"));
  LabTools tools(invocation.settings, terminal);
  lab::Lab opened = TRY(tools.open());
  const std::vector<std::string>& pair = invocation.arguments;
  const Duration delay = invocation.settings.duration("delay");
  TRY(opened.add_fault({.a = pair[0], .b = pair[1], .delay = delay}));
  terminal.out("packets between " + pair[0] + " and " + pair[1] + " take " +
               format_duration(delay) + " longer\n");
  return {};
}

Result<void> heal(const Invocation& invocation, Terminal& terminal) {
  TRY(require_root("changing a lab's network"));
  LabTools tools(invocation.settings, terminal);
  lab::Lab opened = TRY(tools.open());
  const std::vector<std::string>& pair = invocation.arguments;
  TRY(opened.heal(pair[0], pair[1]));
  terminal.out("packets pass between " + pair[0] + " and " + pair[1] + "\n");
  return {};
}

}  // namespace lab_faults

Command lab_cut_command() {
  return {.name = "cut",
          .summary = "Drop all packets between two machines of a lab.",
          .arguments = {{.word = "MACHINE"}, {.word = "MACHINE"}},
          .flags = lab_flags(),
          .run = lab_faults::cut,
          .check = check_lab_flags};
}

Command lab_slow_command() {
  return {.name = "slow",
          .summary = "Delay all packets between two machines of a lab.",
          .description =
              "In both directions: the time of a round trip grows by twice the delay. A process\n"
              "passes the packets on, so that no support of the kernel (netem) is needed.",
          .arguments = {{.word = "MACHINE"}, {.word = "MACHINE"}},
          .flags = lab_flags({{.name = "delay",
                               .kind = ValueKind::kDuration,
                               .word = "TIME",
                               .fallback = "50ms",
                               .summary = "time that a packet takes longer, in each direction"}}),
          .run = lab_faults::slow,
          .check = lab_faults::check_slow};
}

Command lab_heal_command() {
  return {.name = "heal",
          .summary = "Undo `cut` or `slow` between two machines of a lab.",
          .arguments = {{.word = "MACHINE"}, {.word = "MACHINE"}},
          .flags = lab_flags(),
          .run = lab_faults::heal,
          .check = check_lab_flags};
}

}  // namespace proa::cli
