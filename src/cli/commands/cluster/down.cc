#include "cli/commands/cluster/down.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/node/teardown.h"
#include "cli/server/run.h"

namespace proa::cli {
namespace down {

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  SystemFiles files;
  SystemClock clock;
  const NodePlace place = TRY(find_node_place(invocation.settings.text("data-dir")));
  if (geteuid() != 0) {
    return Status(Reason::kForbidden, "only root can end pods: call it by sudo");
  }
  const bool ran = TRY(end_process(place, terminal));
  const size_t pods = TRY(end_pods(place, files, clock, invocation.settings.duration("grace")));
  terminal.out(fmt::format("{}{} pods ended. `proa up` starts them again.\n",
                           ran ? "" : "No proa ran here. ", pods));
  return {};
}

}  // namespace down

Command down_command() {
  return {.name = "down",
          .summary = "Stop the cluster of this machine, with all of its pods.",
          .description =
              "Stops the process of `proa up` or `proa node`, then every pod of the containerd\n"
              "that it started, then that containerd. All state stays in the data directory: the\n"
              "next start brings the pods back. (Stopping the process alone leaves pods running.)\n"
              "Pods in a runtime of somebody else's (--container-runtime-endpoint) run on.",
          .flags = {data_dir_flag(),
                    {.name = "grace",
                     .kind = ValueKind::kDuration,
                     .word = "TIME",
                     .fallback = "10s",
                     .summary = "how long containers may take to end by themselves"}},
          .run = down::run};
}

}  // namespace proa::cli
