#pragma once

#include <string>
#include <vector>

#include "apiserver/streaming/kubelet_trust.h"
#include "base/files.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// How the server judges the serving certificates of kubelets.
struct KubeletTlsOptions {
  apiserver::KubeletTls tls = apiserver::KubeletTls::kPin;
  std::string more_authorities_pem = {};  // besides the cluster's own CA
};

// --kubelet-tls, --kubelet-certificate-authority.
std::vector<Flag> kubelet_tls_flags();

// Reads the file. Errors name the flag.
Result<KubeletTlsOptions> read_kubelet_tls(const Settings& settings, Files& files);

}  // namespace proa::cli
