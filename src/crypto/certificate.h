#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "crypto/identity.h"
#include "crypto/key.h"

struct x509_st;

namespace proa::crypto {

// An X.509 certificate. Immutable; copies share it; safe on any thread. Reading one does not verify
// it.
class Certificate {
 public:
  // The first one in PEM text. kInvalid if there is none.
  static Result<Certificate> parse(std::string_view pem);
  // All that are in PEM text, up to the first one that cannot be read.
  static std::vector<Certificate> parse_all(std::string_view pem);
  static Result<Certificate> parse_der(std::string_view der);

  std::string pem() const;
  std::string der() const;

  Time not_before() const { return not_before_; }
  Time not_after() const { return not_after_; }
  // kInvalid for text that is none, as Go's x509.
  Result<CertificateIdentity> identity() const;
  // All values that the subject has for an attribute: "1.3.6.1.4.1.57683.2".
  std::vector<std::string> subject_values(std::string_view object_id) const;
  // The last common name of the issuer; empty if it has none.
  std::string issuer_name() const;
  // kInvalid for kinds of keys that OpenSSL does not know.
  Result<PublicKey> public_key() const;

  bool is_authority() const;
  // Whether it is valid for that DNS name or IP address. Wildcards match only themselves.
  bool covers(const std::string& name) const;
  bool is_signed_by(const PublicKey& key) const;

  x509_st* raw() const { return certificate_.get(); }

 private:
  friend class Authority;
  Certificate(std::shared_ptr<x509_st> certificate, Time not_before, Time not_after)
      : certificate_(std::move(certificate)), not_before_(not_before), not_after_(not_after) {}
  // Takes ownership.
  static Result<Certificate> adopt(x509_st* certificate);

  std::shared_ptr<x509_st> certificate_;
  Time not_before_;
  Time not_after_;
};

// A certificate and its private key, as PEM text. The certificate may be followed by intermediates.
struct CertifiedKey {
  std::string certificate_pem;
  std::string private_key_pem;
};

// The same, parsed.
struct KeyPair {
  Certificate certificate;
  PrivateKey key;

  // kInvalid unless both can be read and belong together.
  static Result<KeyPair> parse(const CertifiedKey& text);
};

}  // namespace proa::crypto
