#include "cli/commands/cluster/up.h"

#include "cli/commands/cluster/detached.h"
#include "cli/server/flags/server_flags.h"
#include "cli/server/run.h"

namespace proa::cli {
namespace up {

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  if (invocation.settings.on("detach")) return run_detached(invocation.settings, terminal);
  return run_cluster(invocation, terminal);
}

}  // namespace up

Command up_command() {
  std::vector<Flag> flags = cluster_flags();
  flags.push_back({.name = "detach",
                   .kind = ValueKind::kSwitch,
                   .fallback = "false",
                   .summary = "run in the background; returns when the cluster is ready",
                   .letter = 'd'});
  return {
      .name = "up",
      .summary = "Start a complete cluster on this machine.",
      .description =
          "Runs the API server and this machine as a node in one process, in the foreground\n"
          "unless --detach is given. Requires root, containerd, runc and the CNI plugins. Starts\n"
          "its own containerd, which keeps running with all pods when this process stops or\n"
          "crashes; the next start takes them over. `proa down` stops the pods too, `proa\n"
          "uninstall` removes everything. All state is in the data directory.",
      .flags = std::move(flags),
      .run = up::run,
      .check = check_cluster_flags};
}

}  // namespace proa::cli
