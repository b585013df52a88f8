#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kubelet/model/options.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// The hostname of a pod: from hostname, subdomain, setHostnameAsFQDN, hostnameOverride.
struct PodHostname {
  // Of the sandbox: up to 63 characters, or the FQDN. Empty with hostNetwork: the pod has the
  // node's hostname, and runtimes reject another.
  std::string hostname = {};
  std::string short_name = {};  // without the domain, in any case
  std::string domain = {};      // "web.default.svc.cluster.local"; empty without a subdomain
};
Result<PodHostname> hostname_for(const Pod& pod, const KubeletOptions& options);

// The content of a pod's /etc/hosts; with hostNetwork, `node_file` and the host aliases.
std::string hosts_file(const Pod& pod, const std::vector<std::string>& addresses,
                       const PodHostname& hostname, std::string_view node_file);

}  // namespace proa::kubelet
