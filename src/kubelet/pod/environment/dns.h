#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kubelet/model/options.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/environment/hostname.h"

namespace proa::kubelet {

// What stands in a pod's /etc/resolv.conf.
struct DnsConfig {
  std::vector<std::string> servers = {};
  std::vector<std::string> searches = {};
  std::vector<std::string> options = {};
};

// What users are told by an Event of type Warning about their pod; kMissingClusterDns is told about
// the node too.
struct DnsWarning {
  std::string reason = {};  // "DNSConfigForming", "MissingClusterDNS"
  std::string message = {};
};
inline constexpr std::string_view kMissingClusterDns = "MissingClusterDNS";

// By dnsPolicy and dnsConfig. `node_file`: the text of the node's own resolv.conf. `warnings` get
// what upstream tells by Events (too many servers, search paths that were left out). Fails when
// `node_file` can't be read: then the pod gets no sandbox.
Result<DnsConfig> dns_for(const Pod& pod, const KubeletOptions& options, std::string_view node_file,
                          std::vector<DnsWarning>& warnings);

}  // namespace proa::kubelet
