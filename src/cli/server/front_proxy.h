#pragma once

#include <string>

#include "apiserver/access/authn/chain.h"
#include "cli/credentials/certificates.h"
#include "crypto/certificate.h"

// This server as the front proxy of aggregated API servers.

namespace proa::cli {

// Aggregated API servers read from a ConfigMap whom they may trust: this server, too, besides the
// proxies that flags name.
void trust_own_proxy(apiserver::AuthenticationOptions& options, const Certificates& certificates);

crypto::CertifiedKey proxy_client_of(const Certificates& certificates);

// The CAs of users and of authenticating proxies, as PEM.
std::string client_authorities_of(const apiserver::AuthenticationOptions& options);

}  // namespace proa::cli
