#include "crypto/authority.h"

#include <array>

#include "base/check.h"
#include "base/random.h"
#include "crypto/internal/identity_codec.h"
#include "crypto/internal/openssl.h"

namespace proa::crypto {
namespace authority {

using openssl::CertificatePointer;
using openssl::ExtensionPointer;
using openssl::NumberPointer;

void set_serial_number(X509* certificate) {
  // 127 random bits: a serial number must be positive, and must not be predictable.
  std::array<unsigned char, 16> serial{};
  SystemRandom().fill(serial);
  serial[0] &= 0x7f;
  const NumberPointer number(BN_bin2bn(serial.data(), serial.size(), nullptr));
  CHECK(number != nullptr &&
        BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

bool add_extension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPointer extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool add_usages(X509* certificate, X509* issuer, const CertificateTemplate& wanted) {
  std::string key_usage = "critical";
  if (wanted.digital_signature) key_usage += ",digitalSignature";
  if (wanted.key_encipherment) key_usage += ",keyEncipherment";
  if (key_usage != "critical" && !add_extension(certificate, issuer, NID_key_usage, key_usage)) {
    return false;
  }
  std::string purposes;
  if (wanted.for_server) purposes = "serverAuth";
  if (wanted.for_client) purposes += purposes.empty() ? "clientAuth" : ",clientAuth";
  return purposes.empty() || add_extension(certificate, issuer, NID_ext_key_usage, purposes);
}

Result<void> add_names(X509* certificate, const CertificateIdentity& identity) {
  const openssl::NamesPointer names = TRY(openssl::make_names(identity));
  if (names == nullptr) return {};
  // RFC 5280: critical where the subject is empty.
  const int critical = X509_NAME_entry_count(X509_get_subject_name(certificate)) == 0 ? 1 : 0;
  if (X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), critical,
                        X509V3_ADD_DEFAULT) != 1) {
    return openssl::failure("adding names to a certificate", Reason::kInternalError);
  }
  return {};
}

// Everything but extensions, issuer and signature.
Result<CertificatePointer> describe(const CertificateTemplate& wanted, EVP_PKEY* key) {
  CertificatePointer made(X509_new());
  X509* certificate = made.get();
  CHECK(certificate != nullptr && X509_set_version(certificate, X509_VERSION_3) == 1);
  set_serial_number(certificate);
  CHECK(X509_set1_notBefore(certificate, openssl::to_asn1(wanted.not_before).get()) == 1);
  CHECK(X509_set1_notAfter(certificate, openssl::to_asn1(wanted.not_after).get()) == 1);
  TRY(openssl::write_subject(wanted, X509_get_subject_name(certificate)));
  if (X509_set_pubkey(certificate, key) != 1) {
    return openssl::failure("creating a certificate", Reason::kInternalError);
  }
  return made;
}

bool sign(X509* certificate, const PrivateKey& key) {
  // Ed25519 hashes by itself.
  const bool hashes_itself = EVP_PKEY_get_base_id(key.raw()) == EVP_PKEY_ED25519;
  return X509_sign(certificate, key.raw(), hashes_itself ? nullptr : EVP_sha256()) != 0;
}

}  // namespace authority

Result<Authority> Authority::parse(const CertifiedKey& text) {
  return Authority(TRY(KeyPair::parse(text)));
}

Result<Certificate> Authority::sign(const CertificateTemplate& wanted, const PublicKey& key) const {
  namespace unit = authority;
  openssl::CertificatePointer made = TRY(unit::describe(wanted, key.raw()));
  X509* certificate = made.get();
  X509* issuer = pair_.certificate.raw();
  if (X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) != 1 ||
      !unit::add_usages(certificate, issuer, wanted) ||
      !unit::add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !unit::add_extension(certificate, issuer, NID_authority_key_identifier, "keyid")) {
    return openssl::failure("creating a certificate", Reason::kInternalError);
  }
  TRY(unit::add_names(certificate, wanted));
  if (!unit::sign(certificate, pair_.key)) {
    return openssl::failure("signing a certificate", Reason::kInternalError);
  }
  return Certificate::adopt(made.release());
}

Result<CertifiedKey> make_authority(const CertificateTemplate& wanted) {
  namespace unit = authority;
  const PrivateKey key = PrivateKey::generate();
  const openssl::CertificatePointer made = TRY(unit::describe(wanted, key.raw()));
  X509* certificate = made.get();
  if (X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) != 1 ||
      !unit::add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") ||
      !unit::add_extension(certificate, certificate, NID_key_usage,
                           "critical,digitalSignature,keyCertSign,cRLSign") ||
      !unit::add_extension(certificate, certificate, NID_subject_key_identifier, "hash") ||
      !unit::sign(certificate, key)) {
    return openssl::failure("creating a CA", Reason::kInternalError);
  }
  std::optional<std::string> pem =
      openssl::written([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
  CHECK(pem.has_value());
  return CertifiedKey{std::move(*pem), key.pem()};
}

Result<CertifiedKey> issue_certificate(const CertifiedKey& authority,
                                       const CertificateTemplate& wanted) {
  TRY(openssl::check_dns_names(wanted));
  const Authority signer = TRY(Authority::parse(authority));
  const PrivateKey key = PrivateKey::generate();
  const Certificate made = TRY(signer.sign(wanted, key.public_key()));
  return CertifiedKey{made.pem(), key.pem()};
}

}  // namespace proa::crypto
