#include "cli/commands/cluster/uninstall.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/files.h"
#include "base/strings.h"
#include "cli/command_line/output.h"
#include "cli/host/rights.h"
#include "cli/node/join/node_kubeconfig.h"
#include "cli/node/leftovers.h"
#include "cli/node/teardown.h"
#include "cli/server/flags/server_flags.h"
#include "proxy/service_proxy.h"

namespace proa::cli {
namespace uninstall {

// Pods are removed for good: a long grace period has no benefit.
constexpr Duration kGracePeriod = std::chrono::seconds(2);

bool agrees(Terminal& terminal, const std::string& data_dir, const std::string& node) {
  terminal.error(uninstall_warning(data_dir, node) + " Continue? [y/N] ");
  char line[16] = "";
  if (std::fgets(line, sizeof line, stdin) == nullptr) return false;
  const std::string answer = to_lower(trim(line));
  return answer == "y" || answer == "yes";
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  SystemFiles files;
  SystemClock clock;
  const std::string& data_dir = invocation.settings.text("data-dir");
  const auto place = find_node_paths(data_dir);
  if (place.is(Reason::kNotFound)) {
    terminal.out(data_dir + " does not exist: nothing to remove\n");
    return {};
  }
  if (!place) return place.status();
  TRY(require_root("removing a cluster"));
  const auto joined = find_node_kubeconfig(files, *place);
  const std::string node = joined ? joined->node_name : "";
  if (!invocation.settings.on("yes") && !agrees(terminal, place->data_dir, node)) {
    return Status(Reason::kBadRequest, "cancelled; nothing was removed");
  }
  const Teardown teardown{.most_grace = kGracePeriod, .removes_pods = true};
  TRY(end_process(*place, clock, teardown, terminal));
  size_t pods = 0;
  for (const auto end : {end_pods, end_foreign_pods}) {
    const Result<size_t> ended = end(*place, files, clock, teardown);
    if (ended.ok()) pods += *ended;
    // The rest is removed by force.
    if (!ended.ok()) terminal.error(ended.status().message() + "\n");
  }
  const auto rules = proxy::remove_recorded_rules(files, clock, place->proxy_mode);
  if (!rules.ok()) terminal.error(rules.status().message() + "\n");
  const std::vector<std::string> foreign = TRY(remove_leftovers(*place, files, clock));
  terminal.out(fmt::format("{} stopped, {} removed\n", counted(pods, "pod"), place->data_dir));
  if (!node.empty()) {
    terminal.out(
        fmt::format("The cluster still has the Node {0}, unless `proa node leave` removed "
                    "it. On the server: kubectl delete node {0}\n",
                    node));
  }
  for (const std::string& path : foreign) {
    terminal.error("not created by Proa, kept: " + path + "\n");
  }
  return {};
}

}  // namespace uninstall

std::string uninstall_warning(const std::string& data_dir, const std::string& node) {
  if (node.empty()) {
    return "This stops all pods and removes the cluster in " + data_dir + " with its data.";
  }
  return fmt::format(
      "This stops all pods of node {} and removes its data in {}. The Node stays in the cluster; "
      "`proa node leave`, before, moves its pods to others and deletes it.",
      node, data_dir);
}

Command uninstall_command() {
  return {
      .name = "uninstall",
      .summary = "Stop the local cluster and remove it with all of its data.",
      .description =
          "Does what `proa down` does, then removes mounts, cgroups, the pod bridge and Proa's\n"
          "files in the data directory, including all objects and volumes. Only a backup can\n"
          "bring them back. Packages, this program, its configuration and foreign files in the\n"
          "data directory are kept. In an external runtime (--container-runtime-endpoint) only\n"
          "the pods of this cluster are stopped. On a machine that joined a cluster, `proa node\n"
          "leave` comes first: without it, the cluster keeps its Node.",
      .flags = {data_dir_flag(),
                {.name = "yes",
                 .kind = ValueKind::kSwitch,
                 .fallback = "false",
                 .summary = "do not ask for confirmation"}},
      .run = uninstall::run};
}

}  // namespace proa::cli
