#include "cli/commands/cluster/server.h"

#include "cli/server/flags/server_flags.h"
#include "cli/server/run.h"

namespace proa::cli {

Command server_command() {
  return {.name = "server",
          .summary = "Serve the Kubernetes API, in the foreground.",
          .description =
              "Creates certificates on the first start and writes admin.kubeconfig to the data "
              "directory. SIGTERM shuts it down gracefully.",
          .flags = server_flags(),
          .run = run_server,
          .check = check_server_flags};
}

}  // namespace proa::cli
