#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "crypto/identity.h"
#include "crypto/key.h"

struct X509_req_st;

namespace proa::crypto {

// A PKCS#10 certificate request. Nothing in it is trusted: its identity is read once, and
// certificates are made from what was read, so that nothing gets into them unchecked.
class CertificateRequest {
 public:
  // From the first PEM block. kInvalid, in the words of Go's x509, if it is not a request, repeats
  // an extension, or has names that no certificate can have.
  static Result<CertificateRequest> parse(std::string_view pem);

  const CertificateIdentity& identity() const { return identity_; }

  // Whether the sender has the private key. kInvalid also for keys and signatures that are too weak
  // or too costly to check.
  Result<void> check_signature() const;
  // kInvalid for kinds of keys that OpenSSL does not know.
  Result<PublicKey> public_key() const;

 private:
  explicit CertificateRequest(std::shared_ptr<X509_req_st> request)
      : request_(std::move(request)) {}

  std::shared_ptr<X509_req_st> request_;
  CertificateIdentity identity_;
};

// A request that `key` signed, as PEM. kInvalid for names that no certificate can have.
Result<std::string> make_certificate_request(const PrivateKey& key,
                                             const CertificateIdentity& identity);

}  // namespace proa::crypto
