#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/authn/certificates.h"
#include "crypto/client_verifier.h"

namespace proa::apiserver {

// Names of headers are in lower case.
struct FrontProxyOptions {
  std::string authorities_pem;             // --requestheader-client-ca-file
  std::vector<std::string> allowed_names;  // common names; empty: any
  std::vector<std::string> user_headers = {"x-remote-user"};
  std::vector<std::string> uid_headers = {"x-remote-uid"};
  std::vector<std::string> group_headers = {"x-remote-group"};
  std::vector<std::string> extra_prefixes = {"x-remote-extra-"};
};

// Believes a proxy that has authenticated its own clients, and says in headers who they are. It
// shows a certificate of authorities that sign for nothing else; from anybody else the headers mean
// nothing.
class FrontProxy final : public Authenticator {
 public:
  // kInvalid when one of the authorities also signs the certificates of ordinary clients: each of
  // them could call itself whatever it likes. REQUIRES: `clock` outlives it.
  static Result<std::unique_ptr<FrontProxy>> make(const FrontProxyOptions& options,
                                                  std::string_view client_authorities_pem,
                                                  const Clock& clock);

  Result<UserPtr> authenticate(const Credentials& credentials) override;

 private:
  FrontProxy(std::unique_ptr<const crypto::ClientVerifier> authorities,
             const FrontProxyOptions& options, const Clock& clock)
      : judge_(std::move(authorities), clock), options_(options) {}

  const CertificateJudge judge_;
  const FrontProxyOptions options_;
};

}  // namespace proa::apiserver
