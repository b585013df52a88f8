#include "cli/commands/cluster/down.h"

#include <fmt/format.h>

#include "base/files.h"
#include "cli/command_line/output.h"
#include "cli/host/rights.h"
#include "cli/node/foreign_runtime.h"
#include "cli/node/network/empty_tables.h"
#include "cli/node/teardown.h"
#include "cli/server/flags/server_flags.h"
#include "policy/apply/kernel_rules.h"
#include "proxy/service_proxy.h"

namespace proa::cli {
namespace down {

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  SystemFiles files;
  SystemClock clock;
  const NodePaths place = TRY(find_node_paths(invocation.settings.text("data-dir")));
  TRY(require_root("stopping pods"));
  Teardown teardown{.stops_pods = foreign_runtime_of(files, place).empty()};
  if (!invocation.settings.text("grace").empty()) {
    teardown.most_grace = invocation.settings.duration("grace");
  }
  const bool ran = TRY(end_process(place, clock, teardown, terminal));
  const size_t pods = TRY(end_pods(place, files, clock, teardown));
  TRY(proxy::remove_recorded_rules(files, clock, place.proxy_mode));
  TRY(policy::remove_policy_rules(place.policy_table, clock));
  TRY(remove_empty_tables(files, clock, place.tables));
  if (pods == 0) {
    terminal.out(ran ? "Proa stopped; no pods were running.\n" : "Nothing was running.\n");
  } else {
    terminal.out(fmt::format("{} stopped; the next start restores {}.\n", counted(pods, "pod"),
                             pods == 1 ? "it" : "them"));
  }
  return {};
}

}  // namespace down

Command down_command() {
  return {
      .name = "down",
      .summary = "Stop the local cluster and all of its pods.",
      .description =
          "Stops the `proa up` or `proa node` process, every pod in the containerd it started,\n"
          "and that containerd. preStop handlers run, and each pod gets its grace period. State\n"
          "stays in the data directory, and the next start restarts the pods' containers.\n"
          "Stopping only the process leaves pods running. Pods in an external runtime\n"
          "(--container-runtime-endpoint) are not stopped.",
      .flags = {data_dir_flag(),
                {.name = "grace",
                 .kind = ValueKind::kDuration,
                 .word = "TIME",
                 .summary = "most grace that a pod gets; default: its grace period"}},
      .run = down::run};
}

}  // namespace proa::cli
