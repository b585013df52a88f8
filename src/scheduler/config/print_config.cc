#include "scheduler/config/print_config.h"

#include "api/object/edit.h"
#include "scheduler/config/config_schema.h"

namespace proa::scheduler {
namespace config_printer {

using api::Edit;

void write(const Edit& out, const LeaderElection& election) {
  out.set("leaderElect", election.elect);
  out.set("leaseDuration", format_duration(election.lease_duration));
  out.set("renewDeadline", format_duration(election.renew_deadline));
  out.set("retryPeriod", format_duration(election.retry_period));
  out.set("resourceLock", election.resource_lock);
  out.set("resourceName", election.resource_name);
  out.set("resourceNamespace", election.resource_namespace);
}

void write(const Edit& out, const ClientConnection& connection) {
  out.set("kubeconfig", connection.kubeconfig);
  out.set("acceptContentTypes", connection.accept_content_types);
  out.set("contentType", connection.content_type);
  out.set("qps", json::Value::number(connection.queries_per_second));
  out.set("burst", connection.burst);
}

void write(const Edit& out, const PluginSet& plugins) {
  for (const PluginChoice& one : plugins.enabled) {
    const Edit plugin = out.array("enabled").push_object();
    plugin.set("name", one.name);
    if (one.weight != 0) plugin.set("weight", one.weight);
  }
  for (const std::string& name : plugins.disabled)
    out.array("disabled").push_object().set("name", name);
}

void write(const Edit& out, const PluginArgs& args) {
  out.set("name", args.name);
  if (args.document != nullptr) out.set("args", args.document->root().copy(out.arena()));
}

void write(const Edit& out, const ProfileConfig& profile) {
  if (!profile.scheduler_name.empty()) out.set("schedulerName", profile.scheduler_name);
  if (profile.percentage_of_nodes_to_score)
    out.set("percentageOfNodesToScore", *profile.percentage_of_nodes_to_score);
  const Edit plugins = out.object("plugins");
  for (const PointName& point : kPoints)
    write(plugins.object(point.field), profile.plugins.at[point.point]);
  write(plugins.object("multiPoint"), profile.plugins.multi_point);
  for (const PluginArgs& args : profile.args) write(out.array("pluginConfig").push_object(), args);
}

}  // namespace config_printer

json::Document config_document(const SchedulerConfig& config) {
  json::Document document({}, json::Value::object());
  const api::Edit out(document);
  out.set("kind", "KubeSchedulerConfiguration");
  out.set("apiVersion", kConfigVersion);
  out.set("parallelism", config.parallelism);
  config_printer::write(out.object("leaderElection"), config.leader_election);
  config_printer::write(out.object("clientConnection"), config.client_connection);
  out.set("percentageOfNodesToScore", config.percentage_of_nodes_to_score);
  out.set("podInitialBackoffSeconds", config.pod_initial_backoff_seconds);
  out.set("podMaxBackoffSeconds", config.pod_max_backoff_seconds);
  for (const ProfileConfig& profile : config.profiles)
    config_printer::write(out.array("profiles").push_object(), profile);
  out.set("delayCacheUntilActive", config.delay_cache_until_active);
  return document;
}

}  // namespace proa::scheduler
