#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/net/tls.h"

namespace proa::http {

// Whom a certificate speaks for.
struct CertificateSubject {
  std::string common_name;
  std::vector<std::string> organizations;
};

// Judges the certificates that clients show. Immutable; from any thread.
class ClientCertificates {
 public:
  // PEM text with one or more authorities.
  static Result<std::unique_ptr<const ClientCertificates>> trust(
      const std::string& authorities_pem);
  ~ClientCertificates();
  ClientCertificates(const ClientCertificates&) = delete;
  ClientCertificates& operator=(const ClientCertificates&) = delete;

  // kUnauthorized unless one of the authorities signed it for use by clients, and it is in force.
  // REQUIRES: the peer showed one.
  Result<CertificateSubject> verify(const PeerCertificates& shown, Time now) const;

 private:
  struct Roots;
  explicit ClientCertificates(std::unique_ptr<Roots> roots);
  const std::unique_ptr<Roots> roots_;
};

}  // namespace proa::http
