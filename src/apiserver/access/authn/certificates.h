#pragma once

#include <memory>

#include "apiserver/access/authn/authenticator.h"
#include "base/clock.h"
#include "crypto/client_verifier.h"

namespace proa::apiserver {

// What some authorities say of the certificate that a peer showed. Worked out once a connection,
// and again when a minute has passed: it may have come to its end. On the connection's loop.
class CertificateJudge {
 public:
  // REQUIRES: `clock` outlives it, and it outlives the connections.
  CertificateJudge(std::unique_ptr<const crypto::ClientVerifier> authorities, const Clock& clock)
      : authorities_(std::move(authorities)), clock_(clock) {}

  // The user that it names, whose name may be empty; null when none was shown. kUnauthorized for
  // one that these authorities do not vouch for.
  Result<UserPtr> judge(const http::Peer& peer) const;

 private:
  Result<UserPtr> judge_anew(const http::PeerCertificates& shown) const;

  const std::unique_ptr<const crypto::ClientVerifier> authorities_;
  const Clock& clock_;
};

// Knows callers by their certificates: the common name is the user, organizations are its groups.
class Certificates final : public Authenticator {
 public:
  Certificates(std::unique_ptr<const crypto::ClientVerifier> authorities, const Clock& clock)
      : judge_(std::move(authorities), clock) {}

  Result<UserPtr> authenticate(const Credentials& credentials) override;

 private:
  const CertificateJudge judge_;
};

}  // namespace proa::apiserver
