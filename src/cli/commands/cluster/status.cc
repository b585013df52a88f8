#include "cli/commands/cluster/status.h"

#include "api/schema/builtin.h"
#include "cli/command_line/output.h"
#include "cli/credentials/admin_client.h"
#include "cli/host/instance_lock.h"
#include "cli/node/cluster_status.h"
#include "cli/node/node_paths.h"
#include "cli/server/run.h"

namespace proa::cli {
namespace status {

client::Place all_of(std::string_view resource) {
  return {.resource = api::builtin_schema().find_resource("", "v1", resource),
          .name_space = "",
          .name = "",
          .subresource = ""};
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const NodePaths place = TRY(find_node_paths(invocation.settings.text("data-dir")));
  const auto cluster = TRY(AdminClient::open(place.data_dir));
  ClusterStatus found;
  found.data_dir = place.data_dir;
  found.process = lock_holder(place.lock);
  found.server = cluster->server();
  const auto nodes = cluster->client().list(all_of("nodes"), {});
  if (!nodes) return cluster->explain(nodes.status());
  const auto pods = cluster->client().list(all_of("pods"), {});
  if (!pods) return cluster->explain(pods.status());
  for (const api::ObjectPtr& node : nodes->items) found.nodes.push_back(node_status(*node));
  found.pods = count_phases(pods->items);
  const std::string& output = invocation.settings.text("output");
  terminal.out(output == "text" ? status_text(found)
                                : format_value(status_document(found).root(), output));
  return {};
}

}  // namespace status

Command status_command() {
  return {
      .name = "status",
      .summary = "Show the state of the local cluster.",
      .description =
          "Asks the server of the data directory as administrator. Fails if no server is running.",
      .flags = {data_dir_flag(), output_flag()},
      .run = status::run};
}

}  // namespace proa::cli
