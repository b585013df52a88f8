#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "crypto/certificate.h"

namespace proa::crypto {

// Verifies client certificates against a set of authorities. Immutable; safe on any thread.
class ClientVerifier {
 public:
  // PEM text with one or more authorities. kInvalid if there is none.
  static Result<std::unique_ptr<const ClientVerifier>> trust(std::string_view authorities_pem);
  ~ClientVerifier();
  ClientVerifier(const ClientVerifier&) = delete;
  ClientVerifier& operator=(const ClientVerifier&) = delete;

  // The client's own certificate. kUnauthorized unless one of the authorities signed it for use by
  // clients, and it is valid now. REQUIRES: `chain_der` is not empty; the client's own certificate
  // is the first.
  Result<Certificate> verify(std::span<const std::string> chain_der, Time now) const;

 private:
  struct Roots;
  explicit ClientVerifier(std::unique_ptr<Roots> roots);
  const std::unique_ptr<Roots> roots_;
};

}  // namespace proa::crypto
