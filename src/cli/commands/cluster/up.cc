#include "cli/commands/cluster/up.h"

#include "cli/server/run.h"

namespace proa::cli {

Command up_command() {
  return {.name = "up",
          .summary = "Start a whole cluster on this machine, in the foreground.",
          .description =
              "The API as `proa server` serves it, and this machine as a node that runs pods, in\n"
              "one process. Needs root, and containerd with runc and the CNI plugins: starts a\n"
              "containerd of its own, which runs on with all pods when this stops, however it\n"
              "stops; the next start takes them over. `proa down` ends them too, and `proa\n"
              "uninstall` removes everything. State lies in the data directory alone.",
          .flags = cluster_flags(),
          .run = run_cluster};
}

}  // namespace proa::cli
