#include "cli/server/front_proxy.h"

namespace proa::cli {

void trust_own_proxy(apiserver::AuthenticationOptions& options, const Certificates& certificates) {
  if (!options.front_proxy) {
    options.front_proxy.emplace();
    options.front_proxy->allowed_names = {std::string(kFrontProxyName)};
  } else if (!options.front_proxy->allowed_names.empty()) {
    options.front_proxy->allowed_names.emplace_back(kFrontProxyName);
  }
  std::string& authorities = options.front_proxy->authorities_pem;
  if (!authorities.empty() && !authorities.ends_with('\n')) authorities += '\n';
  authorities += certificates.front_proxy_authority_pem;
}

crypto::CertifiedKey proxy_client_of(const Certificates& certificates) {
  return {certificates.front_proxy_client_certificate_pem, certificates.front_proxy_client_key_pem};
}

std::string client_authorities_of(const apiserver::AuthenticationOptions& options) {
  std::string pem = options.client_authorities_pem;
  if (options.front_proxy) pem += options.front_proxy->authorities_pem;
  return pem;
}

}  // namespace proa::cli
