#include "kubelet/workers/start/sandbox_starter.h"

#include "kubelet/host/resolver_file.h"
#include "kubelet/model/reference.h"
#include "kubelet/pod/container/runtime_handler.h"
#include "kubelet/pod/container/sandbox_config.h"
#include "kubelet/workers/start/pod_files.h"

namespace proa::kubelet {

Result<json::Document> SandboxStarter::configure(const Pod& pod, PodMemory& memory,
                                                 uint32_t attempt,
                                                 const std::string& cgroup_parent) const {
  Result<json::Document> config = make_config(pod, memory, attempt, cgroup_parent);
  if (!config.ok()) return report(pod, config.status());
  return config;
}

Result<json::Document> SandboxStarter::make_config(const Pod& pod, PodMemory& memory,
                                                   uint32_t attempt,
                                                   const std::string& cgroup_parent) const {
  const PodHostname hostname = TRY(hostname_for(pod, context_.options));
  std::vector<DnsWarning> warnings;
  const std::vector<std::string> cluster = TRY(cluster_dns(pod));
  const DnsConfig dns =
      TRY(dns_for(pod, context_.options, cluster,
                  read_resolver_file(context_.files, context_.options.resolv_conf), warnings));
  warn(pod, memory, warnings);
  return make_sandbox_config({.pod = pod,
                              .attempt = attempt,
                              .paths = context_.paths,
                              .dns = dns,
                              .hostname = hostname,
                              .cgroup_parent = cgroup_parent,
                              .cgroup_v2 = context_.cgroup_v2,
                              .ignore_router_advertisements = ignores_router_advertisements()});
}

// A pod keeps its resolv.conf for life, so it waits until the Services are known; a static pod does
// not wait for the API server.
Result<std::vector<std::string>> SandboxStarter::cluster_dns(const Pod& pod) const {
  const KubeletOptions& options = context_.options;
  if (!options.cluster_dns.empty() || !options.dns_service) return options.cluster_dns;
  if (!pod.is_static() && !context_.services_synced()) {
    return Status(Reason::kServiceUnavailable,
                  "services have not yet been read at least once, the cluster's DNS is not known");
  }
  return dns_service_addresses(context_.services("kube-system"));
}

void SandboxStarter::warn(const Pod& pod, PodMemory& memory,
                          std::span<const DnsWarning> warnings) const {
  for (const DnsWarning& warning : warnings) {
    const bool of_node = warning.about == DnsWarning::About::kNode;
    if (!memory.warned_of.insert((of_node ? "node " : "") + warning.reason).second) continue;
    context_.events.warning(
        of_node ? reference_to_node(context_.options.node_name) : reference_to(pod), warning.reason,
        warning.message);
  }
}

// A network of the user's may need them. A kernel without IPv6 has no such setting.
bool SandboxStarter::ignores_router_advertisements() const {
  if (!context_.own_network || !context_.own_network()) return false;
  const auto known = context_.files.exists("/proc/sys/net/ipv6/conf");
  return known.ok() && *known;
}

Result<void> SandboxStarter::start(const Pod& pod, const json::Document& config,
                                   const Until& until) const {
  TRY(make_log_folder(context_.paths, pod));
  const Result<std::string> handler = runtime_handler_of(context_.objects, pod);
  if (!handler.ok()) return report(pod, handler.status());
  const Result<std::string> made = context_.runtime.run_sandbox(config.root(), *handler, until);
  // A cancelled call is no failure of the pod.
  if (!made.ok() && until.stop.stop_requested()) return made.status();
  if (!made.ok()) return report(pod, made.status());
  context_.registry.made(pod.uid(), *made);
  return {};
}

Status SandboxStarter::report(const Pod& pod, const Status& cause) const {
  context_.events.warning(reference_to(pod), "FailedCreatePodSandBox",
                          "Failed to create pod sandbox: " + cause.message());
  return cause;
}

}  // namespace proa::kubelet
