#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kubelet/model/options.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// How a pod is called: by hostname, subdomain, setHostnameAsFQDN, hostnameOverride.
struct PodHostname {
  // What the sandbox gets: up to 63 characters, or the FQDN. Empty with hostNetwork: such pods are
  // called as the node is, and runtimes refuse to be told.
  std::string hostname = {};
  std::string short_name = {};  // without the domain, whatever the sandbox gets
  std::string domain = {};      // "web.default.svc.cluster.local"; empty without a subdomain
};
Result<PodHostname> hostname_for(const Pod& pod, const KubeletOptions& options);

// The text of a pod's /etc/hosts; with hostNetwork, of `node_file` and the aliases.
std::string hosts_file(const Pod& pod, const std::vector<std::string>& addresses,
                       const PodHostname& hostname, std::string_view node_file);

}  // namespace proa::kubelet
