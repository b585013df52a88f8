#include "cli/commands/cluster/leave.h"

#include <fmt/format.h>

#include <thread>

#include "base/files.h"
#include "cli/credentials/admin_client.h"
#include "cli/host/instance_lock.h"
#include "cli/host/rights.h"
#include "cli/node/join/leave.h"
#include "cli/node/join/node_kubeconfig.h"
#include "cli/node/leftovers.h"
#include "cli/node/teardown.h"
#include "cli/server/flags/server_flags.h"
#include "proxy/service_proxy.h"

namespace proa::cli {
namespace leave_cluster {

// Pods that remain are removed for good: a long grace period has no benefit.
constexpr Teardown kTeardown{.most_grace = std::chrono::seconds(2), .removes_pods = true};

// With an administrator's kubeconfig if one is given, else as the node itself.
Result<std::unique_ptr<AdminClient>> connect(const Settings& settings, const NodeKubeconfig& node) {
  const std::string& path = settings.text("admin-kubeconfig");
  if (path.empty()) return AdminClient::open_node(node.path);
  return AdminClient::open_beside_node(path, node.path);
}

// Before anything changes: a node that is drained and stopped, but not deleted, helps nobody.
Result<void> check_rights(AdminClient& api, const std::string& node) {
  const Result<void> checked = check_leave_rights(api.client(), node);
  if (checked.ok()) return {};
  if (!checked.is(Reason::kForbidden)) return api.explain(checked.status());
  return Status(Reason::kForbidden,
                checked.status().message() +
                    "; nothing was changed: pass --admin-kubeconfig with a kubeconfig that may "
                    "delete the node (on the server: proa kubeconfig), or --ignore-errors and run "
                    "on the server: kubectl delete node " +
                    node);
}

Result<void> drain(AdminClient& api, const Settings& settings, const std::string& node,
                   Terminal& terminal) {
  SystemClock clock;
  Result<void> drained =
      drain_node(api.client(), clock,
                 {.node = node,
                  .timeout = settings.duration("eviction-timeout"),
                  .pause = [](Duration time) { std::this_thread::sleep_for(time); }},
                 terminal);
  if (!drained && !drained.is(Reason::kTimeout)) return api.explain(drained.status());
  return drained;
}

Result<void> clean_up(const NodePaths& place, Terminal& terminal) {
  SystemFiles files;
  SystemClock clock;
  for (const auto end : {end_pods, end_foreign_pods}) {
    const Result<size_t> ended = end(place, files, clock, kTeardown);
    // The rest is removed by force.
    if (!ended.ok()) terminal.error(ended.status().message() + "\n");
  }
  const auto rules = proxy::remove_recorded_rules(files, clock, place.proxy_mode);
  if (!rules.ok()) terminal.error(rules.status().message() + "\n");
  const std::vector<std::string> foreign = TRY(remove_leftovers(place, files, clock));
  for (const std::string& path : foreign) {
    terminal.error("not created by Proa, kept: " + path + "\n");
  }
  return {};
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  SystemFiles files;
  const NodePaths place = TRY(find_node_paths(settings.text("data-dir")));
  TRY(require_root("removing a node"));
  const auto node = find_node_kubeconfig(files, place);
  if (!node) {
    return Status(Reason::kNotFound, place.data_dir +
                                         " is not that of a node that joined a cluster; for a "
                                         "cluster made by `proa up` see `proa uninstall`");
  }
  const bool goes_on = settings.on("ignore-errors");
  const auto api = TRY(connect(settings, *node));
  if (!goes_on) TRY(check_rights(*api, node->node_name));
  // Pods end only while the kubelet runs.
  if (lock_holder(place.lock)) {
    Result<void> drained = drain(*api, settings, node->node_name, terminal);
    if (!drained && !goes_on) return drained;
    if (!drained) terminal.error(drained.status().message() + "\n");
  }
  SystemClock clock;
  TRY(end_process(place, clock, kTeardown, terminal));
  // Afterwards: a running kubelet would register again.
  const Result<void> removed = delete_node(api->client(), node->node_name);
  if (!removed && !goes_on) {
    return Status(removed.status().reason(),
                  api->explain(removed.status()).message() +
                      "; the node is stopped: pass --admin-kubeconfig, or --ignore-errors and "
                      "run on the server: kubectl delete node " +
                      node->node_name);
  }
  if (!removed) terminal.error(removed.status().message() + "\n");
  TRY(clean_up(place, terminal));
  terminal.out(
      fmt::format("node {} has left the cluster, {} removed\n", node->node_name, place.data_dir));
  return {};
}

}  // namespace leave_cluster

Command leave_command() {
  return {.name = "leave",
          .summary = "Take this node out of its cluster and remove it from this machine.",
          .description =
              "Marks the node as unschedulable, evicts its pods (respecting disruption budgets),\n"
              "stops `proa node`, deletes the Node and removes what it left on this machine. Pods\n"
              "of DaemonSets and static pods are stopped without eviction. A Node with taints or\n"
              "labels that an administrator set can only be deleted with --admin-kubeconfig.",
          .flags = {data_dir_flag(),
                    {.name = "admin-kubeconfig",
                     .kind = ValueKind::kFile,
                     .word = "FILE",
                     .fallback = {},
                     .summary = "kubeconfig of an administrator; default: the node's own rights"},
                    {.name = "eviction-timeout",
                     .kind = ValueKind::kDuration,
                     .word = "TIME",
                     .fallback = "5m",
                     .summary = "time that the eviction of all pods may take"},
                    {.name = "ignore-errors",
                     .kind = ValueKind::kSwitch,
                     .fallback = "false",
                     .summary = "go on if the server does not answer or pods remain"}},
          .run = leave_cluster::run};
}

}  // namespace proa::cli
