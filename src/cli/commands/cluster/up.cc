#include "cli/commands/cluster/up.h"

#include "cli/server/run.h"

namespace proa::cli {

Command up_command() {
  return {
      .name = "up",
      .summary = "Start a complete cluster on this machine, in the foreground.",
      .description =
          "Runs the API server and this machine as a node in one process. Requires root,\n"
          "containerd, runc and the CNI plugins. Starts its own containerd, which keeps running\n"
          "with all pods when this process stops or crashes; the next start takes them over.\n"
          "`proa down` stops the pods too, `proa uninstall` removes everything. All state is in\n"
          "the data directory.",
      .flags = cluster_flags(),
      .run = run_cluster,
      .check = check_cluster_flags};
}

}  // namespace proa::cli
