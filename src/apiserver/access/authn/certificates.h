#pragma once

#include <memory>

#include "apiserver/access/authn/authentication_metrics.h"
#include "apiserver/access/authn/authenticator.h"
#include "base/clock.h"
#include "crypto/client_verifier.h"

namespace proa::apiserver {

// The API server's own client certificate for kubelets: common name and organization. It is refused
// here: a Node object may name any address, this server's included, and must not make the server
// call itself with rights.
inline constexpr std::string_view kKubeletClientName = "kube-apiserver-kubelet-client";
inline constexpr std::string_view kKubeletClientGroup = "proa:kubelet-clients";

// Verifies client certificates against a set of authorities. The result is cached per connection
// for one minute, because certificates expire. Called on the connection's loop.
class ClientCertificateVerifier {
 public:
  // REQUIRES: `clock` outlives it, and it outlives the connections.
  ClientCertificateVerifier(std::unique_ptr<const crypto::ClientVerifier> authorities,
                            const Clock& clock)
      : authorities_(std::move(authorities)), clock_(clock) {}

  // Returns the user of the certificate, whose name may be empty; null if the client presented
  // none. Fails with kUnauthorized if these authorities did not sign it, or if it is the client
  // certificate for kubelets. `counted`: learns when the certificate expires.
  Result<UserPtr> verify(const http::Peer& peer, CertificateMetrics* counted = nullptr) const;

 private:
  Result<UserPtr> verify_uncached(const http::PeerCertificates& shown) const;

  const std::unique_ptr<const crypto::ClientVerifier> authorities_;
  const Clock& clock_;
};

// Authenticates client certificates: the common name is the user, the organizations are its groups.
class Certificates final : public Authenticator {
 public:
  Certificates(std::unique_ptr<const crypto::ClientVerifier> authorities, const Clock& clock)
      : verifier_(std::move(authorities), clock) {}

  Result<UserPtr> authenticate(const Credentials& credentials) override;
  void write_metrics(MetricsText& text) const override { metrics_.write(text); }

 private:
  const ClientCertificateVerifier verifier_;
  CertificateMetrics metrics_;
};

}  // namespace proa::apiserver
