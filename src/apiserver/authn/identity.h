#pragma once

#include <memory>
#include <optional>

#include "apiserver/request/request.h"
#include "base/clock.h"
#include "http/net/client_certificates.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// Says who is at the other end of a connection, by the certificate that was shown.
class Identities {
 public:
  // REQUIRES: `clock` outlives it.
  Identities(std::unique_ptr<const http::ClientCertificates> certificates, const Clock& clock)
      : certificates_(std::move(certificates)), clock_(clock) {}

  // Null for somebody unknown. Worked out once a connection, and again when a minute has passed: a
  // certificate may have come to its end. On the connection's loop.
  std::shared_ptr<const User> of(const http::Peer& peer) const;

 private:
  std::unique_ptr<const http::ClientCertificates> certificates_;
  const Clock& clock_;
};

}  // namespace proa::apiserver
