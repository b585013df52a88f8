#pragma once

#include <string>
#include <vector>

#include "apiserver/streaming/kubelet_trust.h"
#include "apiserver/streaming/pod_tunnel.h"
#include "base/files.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// How the server judges the serving certificates of kubelets.
struct KubeletTlsOptions {
  apiserver::KubeletTls tls = apiserver::KubeletTls::kPin;
  std::string more_authorities_pem = {};  // besides the cluster's own CA
};

// --kubelet-tls, --kubelet-certificate-authority, --pod-egress.
std::vector<Flag> kubelet_flags();

// Reads the file. Errors name the flag.
Result<KubeletTlsOptions> read_kubelet_tls(const Settings& settings, Files& files);

// `is_node`: whether this machine is a node, and so has a route to pods.
apiserver::PodEgress read_pod_egress(const Settings& settings, bool is_node);

}  // namespace proa::cli
