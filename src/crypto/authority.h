#pragma once

#include "base/result.h"
#include "base/time.h"
#include "crypto/certificate.h"
#include "crypto/identity.h"
#include "crypto/key.h"

namespace proa::crypto {

// A certificate to be made.
struct CertificateTemplate : CertificateIdentity {
  bool digital_signature = true;
  bool key_encipherment = true;
  bool for_server = false;  // extended key usage
  bool for_client = false;
  Time not_before = {};
  Time not_after = {};
};

// A certificate authority: signs certificates.
class Authority {
 public:
  // kInvalid unless both can be read and belong together.
  static Result<Authority> parse(const CertifiedKey& text);

  const Certificate& certificate() const { return pair_.certificate; }
  // A certificate for the owner of `key`, which is not an authority itself. kInvalid for names that
  // no certificate can have.
  Result<Certificate> sign(const CertificateTemplate& wanted, const PublicKey& key) const;

 private:
  explicit Authority(KeyPair pair) : pair_(std::move(pair)) {}
  KeyPair pair_;
};

// A new authority that signs itself: ECDSA P-256. The usages of the template are ignored.
Result<CertifiedKey> make_authority(const CertificateTemplate& wanted);
// A new key with a certificate that `authority` signed. kInvalid also for DNS names that are empty
// or would read like several.
Result<CertifiedKey> issue_certificate(const CertifiedKey& authority,
                                       const CertificateTemplate& wanted);

}  // namespace proa::crypto
