#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/authn/certificates.h"
#include "crypto/client_verifier.h"

namespace proa::apiserver {

// Header names are in lower case.
struct FrontProxyOptions {
  std::string authorities_pem;             // --requestheader-client-ca-file
  std::vector<std::string> allowed_names;  // common names; empty: any
  std::vector<std::string> user_headers = {"x-remote-user"};
  std::vector<std::string> uid_headers = {"x-remote-uid"};
  std::vector<std::string> group_headers = {"x-remote-group"};
  std::vector<std::string> extra_prefixes = {"x-remote-extra-"};
};

// Trusts an authenticating proxy, which passes the user in headers. The proxy is authenticated by a
// client certificate of dedicated authorities; without one the headers are ignored.
class FrontProxy final : public Authenticator {
 public:
  // Fails with kInvalid if one of the authorities also signs ordinary client certificates, since
  // every client could then claim any identity. REQUIRES: `clock` outlives it.
  static Result<std::unique_ptr<FrontProxy>> make(const FrontProxyOptions& options,
                                                  std::string_view client_authorities_pem,
                                                  const Clock& clock);

  Result<UserPtr> authenticate(const Credentials& credentials) override;

 private:
  FrontProxy(std::unique_ptr<const crypto::ClientVerifier> authorities,
             const FrontProxyOptions& options, const Clock& clock)
      : verifier_(std::move(authorities), clock), options_(options) {}

  const ClientCertificateVerifier verifier_;
  const FrontProxyOptions options_;
};

}  // namespace proa::apiserver
