#include "cli/commands/cluster/status.h"

#include "api/schema/builtin.h"
#include "cli/command_line/output.h"
#include "cli/credentials/admin_client.h"
#include "cli/node/cluster_status.h"
#include "cli/node/join/node_kubeconfig.h"
#include "cli/node/node_paths.h"
#include "cli/server/flags/server_flags.h"

namespace proa::cli {
namespace status {

client::Place core(std::string_view resource, const std::string& name = "") {
  return {.resource = api::builtin_schema().find_resource("", "v1", resource),
          .name_space = "",
          .name = name,
          .subresource = ""};
}

// Best effort: a check may pass again before its cause is asked for.
Result<void> read_health(AdminClient& cluster, ClusterStatus& status) {
  for (const std::string& check : failed_checks(TRY(cluster.text_at("/readyz?verbose")))) {
    status.problems.emplace_back(check, cause_of(TRY(cluster.text_at("/readyz/" + check))));
  }
  return {};
}

void print(const ClusterStatus& found, const std::string& output, Terminal& terminal) {
  terminal.out(output == "text" ? status_text(found)
                                : format_value(status_document(found).root(), output));
}

Result<void> add_leaders(AdminClient& cluster, ClusterStatus& found) {
  for (const char* component : {"kube-scheduler", "kube-controller-manager"}) {
    const auto lease = cluster.client().get(
        {.resource = api::builtin_schema().find_resource("coordination.k8s.io", "v1", "leases"),
         .name_space = "kube-system",
         .name = component,
         .subresource = ""});
    if (lease.is(Reason::kNotFound)) {
      found.leaders.push_back({.component = component});
    } else if (!lease) {
      return cluster.explain(lease.status());
    } else {
      found.leaders.push_back(leader_of(**lease, SystemClock().now()));
    }
  }
  return {};
}

// As administrator: the whole cluster.
Result<void> add_cluster(AdminClient& cluster, ClusterStatus& found) {
  found.server = cluster.server();
  const auto nodes = cluster.client().list(core("nodes"), {});
  if (!nodes) return cluster.explain(nodes.status());
  const auto pods = cluster.client().list(core("pods"), {});
  if (!pods) return cluster.explain(pods.status());
  for (const api::ObjectPtr& node : nodes->items) found.nodes.push_back(node_status(*node));
  found.pods = count_phases(pods->items);
  if (const auto health = read_health(cluster, found); !health) {
    return cluster.explain(health.status());
  }
  return add_leaders(cluster, found);
}

// The kubelet registers its Node when it starts, as upstream's does, and at no other time.
Status deleted_node(const std::string& name, ClusterStatus& found) {
  found.pods_unknown = "the cluster has no Node " + name;
  return {Reason::kNotFound, "the Node " + name +
                                 " was deleted; restart `proa node` to register it again, or run "
                                 "`proa uninstall` if this machine is to stay out of the cluster"};
}

// As a node, which may read itself and its pods.
Result<void> add_own_node(AdminClient& cluster, const std::string& name, ClusterStatus& found) {
  found.server = cluster.server();
  found.pods_unknown = "the server did not tell";
  const auto node = cluster.client().get(core("nodes", name));
  if (node.is(Reason::kNotFound)) return deleted_node(name, found);
  if (!node) return cluster.explain(node.status());
  found.nodes.push_back(node_status(**node));
  const auto pods =
      cluster.client().list(core("pods"), {.field_selector = "spec.nodeName=" + name});
  if (!pods) return cluster.explain(pods.status());
  found.pods_unknown.clear();
  found.pods = count_phases(pods->items);
  return {};
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  SystemFiles files;
  const NodePaths place = TRY(find_node_paths(invocation.settings.text("data-dir")));
  const std::string& output = invocation.settings.text("output");
  ClusterStatus found;
  found.data_dir = place.data_dir;
  found.local = read_local_status(files, place);
  const auto node = find_node_kubeconfig(files, place);
  if (!node) {
    const auto cluster = TRY(AdminClient::open(place.data_dir));
    TRY(add_cluster(*cluster, found));
    print(found, output, terminal);
    return {};
  }
  const auto cluster = TRY(AdminClient::open_node(node->path));
  found.outdated = !found.local.process;
  Result<void> asked = add_own_node(*cluster, node->node_name, found);
  // What this machine knows is of use without the server, too.
  print(found, output, terminal);
  if (asked.ok() && found.outdated) {
    return Status(Reason::kServiceUnavailable,
                  "Proa is not running on this machine; start `proa node`");
  }
  return asked;
}

}  // namespace status

Command status_command() {
  return {.name = "status",
          .summary = "Show the state of the local cluster, or of the local node of another one.",
          .description =
              "Asks the server of the data directory as administrator; on a machine that joined a\n"
              "cluster, that cluster's server as the node. Fails if the server does not answer.",
          .flags = {data_dir_flag(), output_flag()},
          .run = status::run};
}

}  // namespace proa::cli
