#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "kubelet/model/options.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/environment/hostname.h"

namespace proa::kubelet {

// The content of a pod's /etc/resolv.conf.
struct DnsConfig {
  std::vector<std::string> servers = {};
  std::vector<std::string> searches = {};
  std::vector<std::string> options = {};
};

// A Warning Event about the pod or its node.
struct DnsWarning {
  enum class About : uint8_t { kPod, kNode };
  About about = About::kPod;
  std::string reason = {};  // "DNSConfigForming"
  std::string message = {};
};

// The addresses of the Service kube-dns among those of kube-system; none if nodes are to answer at
// them, which this one does not do.
std::vector<std::string> dns_service_addresses(std::span<const api::ObjectPtr> services);

// From dnsPolicy and dnsConfig. `cluster`: addresses of the cluster's DNS. `node_file`: the node's
// own resolv.conf. `warnings` gets upstream's
// Events (too many servers, omitted search paths, no cluster DNS). Fails if `node_file` cannot be
// parsed: the pod gets no sandbox then.
Result<DnsConfig> dns_for(const Pod& pod, const KubeletOptions& options,
                          std::span<const std::string> cluster, std::string_view node_file,
                          std::vector<DnsWarning>& warnings);

}  // namespace proa::kubelet
