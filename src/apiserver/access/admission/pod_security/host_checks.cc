#include "apiserver/access/admission/pod_security/host_checks.h"

#include <algorithm>
#include <span>

#include "base/strings.h"
#include "kinds/core/pods/spec/safe_sysctls.h"

namespace proa::apiserver::pod_security {
namespace host_checks {

using api::View;

std::optional<Violation> check_sysctls(const PodShape& pod, size_t safe_count) {
  const auto safe = std::span(kinds::pods::kSafeSysctls).first(safe_count);
  Names forbidden;
  for (const View sysctl : pod.security_context()["sysctls"].items()) {
    const std::string_view name = sysctl["name"].text();
    if (std::find(safe.begin(), safe.end(), name) == safe.end()) forbidden.emplace_back(name);
  }
  if (forbidden.empty()) return std::nullopt;
  return Violation{"forbidden sysctls", join(forbidden, ", ")};
}

constexpr std::array<std::string_view, 9> kPlainVolumes{
    "configMap", "csi",   "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim",
    "projected", "secret"};
constexpr std::array<std::string_view, 21> kOtherVolumes{"hostPath",
                                                         "gcePersistentDisk",
                                                         "awsElasticBlockStore",
                                                         "gitRepo",
                                                         "nfs",
                                                         "iscsi",
                                                         "glusterfs",
                                                         "rbd",
                                                         "flexVolume",
                                                         "cinder",
                                                         "cephfs",
                                                         "flocker",
                                                         "fc",
                                                         "azureFile",
                                                         "vsphereVolume",
                                                         "quobyte",
                                                         "azureDisk",
                                                         "photonPersistentDisk",
                                                         "portworxVolume",
                                                         "scaleIO",
                                                         "storageos"};

// Empty if it is none of them.
std::string_view kind_of(View volume, std::span<const std::string_view> kinds) {
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](auto kind) { return volume[kind].exists(); });
  return found == kinds.end() ? std::string_view() : *found;
}

void add_hosts(View handler, std::set<std::string>& hosts) {
  for (const char* action : {"httpGet", "tcpSocket"}) {
    const std::string_view host = handler[action]["host"].text();
    if (!host.empty()) hosts.emplace(host);
  }
}

std::set<std::string> hosts_of(View container) {
  std::set<std::string> hosts;
  for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    add_hosts(container[probe], hosts);
  }
  for (const char* hook : {"postStart", "preStop"}) add_hosts(container["lifecycle"][hook], hosts);
  return hosts;
}

}  // namespace host_checks

std::optional<Violation> check_host_namespaces(const PodShape& pod) {
  Names shared;
  for (const char* name : {"hostNetwork", "hostPID", "hostIPC"}) {
    if (pod.spec[name].flag()) shared.push_back(std::string(name) + "=true");
  }
  if (shared.empty()) return std::nullopt;
  return Violation{"host namespaces", join(shared, ", ")};
}

std::optional<Violation> check_host_path_volumes(const PodShape& pod) {
  Names volumes;
  for (const api::View volume : pod.spec["volumes"].items()) {
    if (volume["hostPath"]) volumes.push_back(name_of(volume));
  }
  if (volumes.empty()) return std::nullopt;
  return Violation{"hostPath volumes", std::string(plural(volumes.size(), "volume", "volumes")) +
                                           " " + quoted_list(volumes)};
}

std::optional<Violation> check_host_ports(const PodShape& pod) {
  Names containers;
  std::set<std::string> ports;  // upstream sorts them as strings
  for (const api::View container : pod.containers()) {
    bool uses = false;
    for (const api::View port : container["ports"].items()) {
      const int64_t number = port["hostPort"].integer();
      if (number == 0) continue;
      uses = true;
      ports.insert(std::to_string(number));
    }
    if (uses) containers.push_back(name_of(container));
  }
  if (containers.empty()) return std::nullopt;
  return Violation{"hostPort", containers_text(containers) + " " +
                                   std::string(plural(containers.size(), "uses", "use")) + " " +
                                   std::string(plural(ports.size(), "hostPort", "hostPorts")) +
                                   " " + joined(ports, ", ")};
}

std::optional<Violation> check_probe_hosts(const PodShape& pod) {
  std::set<std::string> containers;
  std::set<std::string> hosts;
  for (const api::View container : pod.containers()) {
    std::set<std::string> found = host_checks::hosts_of(container);
    if (found.empty()) continue;
    containers.insert(name_of(container));
    hosts.merge(found);
  }
  if (containers.empty()) return std::nullopt;
  const Names names(containers.begin(), containers.end());
  return Violation{
      "probe or lifecycle host",
      containers_text(names) + " " + std::string(plural(names.size(), "uses", "use")) + " " +
          std::string(plural(hosts.size(), "probe or lifecycle host", "probe or lifecycle hosts")) +
          " " + quoted_list(hosts)};
}

std::optional<Violation> check_windows_host_process(const PodShape& pod) {
  const Setters setters = find_setters(
      pod, [](api::View context) { return context["windowsOptions"]["hostProcess"].flag(); });
  if (setters.empty()) return std::nullopt;
  return Violation{
      "hostProcess",
      setters.text() + " must not set securityContext.windowsOptions.hostProcess=true"};
}

std::optional<Violation> check_sysctls_1_0(const PodShape& pod) {
  return host_checks::check_sysctls(pod, 5);
}

std::optional<Violation> check_sysctls_1_27(const PodShape& pod) {
  return host_checks::check_sysctls(pod, 6);
}

std::optional<Violation> check_sysctls_1_29(const PodShape& pod) {
  return host_checks::check_sysctls(pod, 10);
}

std::optional<Violation> check_sysctls_1_32(const PodShape& pod) {
  return host_checks::check_sysctls(pod, 12);
}

std::optional<Violation> check_restricted_volumes(const PodShape& pod) {
  Names volumes;
  std::set<std::string> kinds;
  for (const api::View volume : pod.spec["volumes"].items()) {
    if (!host_checks::kind_of(volume, host_checks::kPlainVolumes).empty()) continue;
    volumes.push_back(name_of(volume));
    const std::string_view kind = host_checks::kind_of(volume, host_checks::kOtherVolumes);
    kinds.emplace(kind.empty() ? "unknown" : kind);
  }
  if (volumes.empty()) return std::nullopt;
  return Violation{
      "restricted volume types",
      std::string(plural(volumes.size(), "volume", "volumes")) + " " + quoted_list(volumes) + " " +
          std::string(plural(volumes.size(), "uses", "use")) + " " +
          std::string(plural(kinds.size(), "restricted volume type", "restricted volume types")) +
          " " + quoted_list(kinds)};
}

}  // namespace proa::apiserver::pod_security
