#include "cli/credentials/kubeconfig.h"

#include <fmt/format.h>

#include "base/encoding.h"

namespace proa::cli {

std::string make_kubeconfig(const KubeconfigContent& content) {
  return fmt::format(R"(apiVersion: v1
kind: Config
clusters:
- name: proa
  cluster:
    server: {}
    certificate-authority-data: {}
users:
- name: proa
  user:
    client-certificate-data: {}
    client-key-data: {}
contexts:
- name: proa
  context:
    cluster: proa
    user: proa
current-context: proa
)",
                     content.server, to_base64(content.authority_pem),
                     to_base64(content.client_certificate_pem), to_base64(content.client_key_pem));
}

}  // namespace proa::cli
