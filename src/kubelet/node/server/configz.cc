#include "kubelet/node/server/configz.h"

#include "api/object/edit.h"
#include "json/print.h"

namespace proa::kubelet {
namespace configz {

void write_map(const api::Edit& out, std::string_view name,
               const std::map<std::string, std::string>& values) {
  if (values.empty()) return;
  const api::Edit map = out.object(name);
  for (const auto& [key, value] : values) map.set(key, value);
}

void write_list(const api::Edit& out, std::string_view name,
                const std::vector<std::string>& values) {
  if (values.empty()) return;
  const api::Edit list = out.array(name);
  for (const std::string& value : values) list.push(json::Value::string(list.arena(), value));
}

void write_access(const api::Edit& config) {
  const api::Edit authentication = config.object("authentication");
  authentication.object("webhook").set("enabled", true);
  authentication.object("webhook").set("cacheTTL", "2m0s");
  authentication.object("anonymous").set("enabled", false);
  const api::Edit authorization = config.object("authorization");
  authorization.set("mode", "Webhook");
  authorization.object("webhook").set("cacheAuthorizedTTL", "5m0s");
  authorization.object("webhook").set("cacheUnauthorizedTTL", "30s");
}

}  // namespace configz

std::string configz_json(const KubeletOptions& options) {
  json::Document made;
  made.root() = json::Value::object();
  const api::Edit config = api::Edit(made).object("kubeletconfig");
  config.set("kind", "KubeletConfiguration");
  config.set("apiVersion", "kubelet.config.k8s.io/v1beta1");
  if (!options.manifests.empty()) config.set("staticPodPath", options.manifests);
  config.set("syncFrequency", format_duration(options.full_sync));
  config.set("address", options.listen);
  config.set("port", options.port);
  configz::write_access(config);
  config.set("clusterDomain", options.cluster_domain);
  configz::write_list(config, "clusterDNS", options.cluster_dns);
  config.set("nodeStatusUpdateFrequency", "10s");
  config.set("nodeStatusReportFrequency", "5m0s");
  config.set(
      "nodeLeaseDurationSeconds",
      int64_t{std::chrono::duration_cast<std::chrono::seconds>(options.lease_duration).count()});
  config.set("cgroupRoot", options.cgroup_root);
  config.set("cgroupDriver", options.systemd_cgroups ? "systemd" : "cgroupfs");
  config.set("maxPods", options.max_pods);
  config.set("resolvConf", options.resolv_conf);
  config.set("containerLogMaxSize", std::to_string(options.max_log_bytes));
  config.set("containerLogMaxFiles", options.max_log_files);
  configz::write_map(config, "systemReserved", options.system_reserved);
  configz::write_map(config, "kubeReserved", options.kube_reserved);
  configz::write_map(config, "evictionHard",
                     {{"imagefs.available", "15%"},
                      {"imagefs.inodesFree", "5%"},
                      {"memory.available", "100Mi"},
                      {"nodefs.available", "10%"},
                      {"nodefs.inodesFree", "5%"}});
  config.set("evictionPressureTransitionPeriod", "5m0s");
  config.set("containerRuntimeEndpoint", "unix://" + options.runtime_socket);
  config.set("podLogsDir", options.logs);
  return json::print(made.root());
}

}  // namespace proa::kubelet
