#include "cli/commands/cluster/server.h"

#include "cli/server/run.h"

namespace proa::cli {

Command server_command() {
  return {.name = "server",
          .summary = "Serve the Kubernetes API, in the foreground.",
          .description =
              "Makes its own certificates on the first start and writes admin.kubeconfig into the "
              "data directory. SIGTERM stops it in order.",
          .flags = server_flags(),
          .run = run_server};
}

}  // namespace proa::cli
