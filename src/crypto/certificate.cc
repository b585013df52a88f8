#include "crypto/certificate.h"

#include "base/check.h"
#include "crypto/internal/identity_codec.h"
#include "crypto/internal/openssl.h"

namespace proa::crypto {
namespace certificate {

std::string checked(std::optional<std::string> text) {
  CHECK(text.has_value());
  return std::move(*text);
}

}  // namespace certificate

Result<Certificate> Certificate::adopt(x509_st* certificate) {
  std::shared_ptr<x509_st> owned(certificate, X509_free);
  const Time not_before = TRY(openssl::time_of(X509_get0_notBefore(certificate)));
  const Time not_after = TRY(openssl::time_of(X509_get0_notAfter(certificate)));
  // Fills in what OpenSSL otherwise works out at the first use, which is not thread-safe with
  // const.
  X509_check_purpose(certificate, -1, 0);
  ERR_clear_error();
  return Certificate(std::move(owned), not_before, not_after);
}

Result<Certificate> Certificate::parse(std::string_view pem) {
  const auto bio = openssl::reading(pem);
  X509* read = PEM_read_bio_X509(bio.get(), nullptr, openssl::no_passphrase, nullptr);
  if (read == nullptr) return openssl::failure("reading the certificate");
  return adopt(read);
}

std::vector<Certificate> Certificate::parse_all(std::string_view pem) {
  const auto bio = openssl::reading(pem);
  std::vector<Certificate> all;
  while (X509* read = PEM_read_bio_X509(bio.get(), nullptr, openssl::no_passphrase, nullptr)) {
    Result<Certificate> one = adopt(read);
    if (!one) break;
    all.push_back(std::move(*one));
  }
  ERR_clear_error();  // OpenSSL reports the end of the text as an error
  return all;
}

Result<Certificate> Certificate::parse_der(std::string_view der) {
  const unsigned char* begin = openssl::bytes_of(der);
  X509* read = d2i_X509(nullptr, &begin, static_cast<long>(der.size()));
  if (read == nullptr) return openssl::failure("reading the certificate");
  return adopt(read);
}

std::string Certificate::pem() const {
  return certificate::checked(
      openssl::written([&](BIO* bio) { return PEM_write_bio_X509(bio, raw()); }));
}

std::string Certificate::der() const {
  return certificate::checked(openssl::to_der(i2d_X509, raw()));
}

Result<CertificateIdentity> Certificate::identity() const {
  CertificateIdentity identity;
  TRY(openssl::read_subject(X509_get_subject_name(raw()), identity));
  TRY(openssl::read_names(X509_get0_extensions(raw()), identity));
  return identity;
}

std::vector<std::string> Certificate::subject_values(std::string_view object_id) const {
  std::vector<std::string> values;
  const X509_NAME* subject = X509_get_subject_name(raw());
  for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(subject, i);
    char id[64] = "";
    OBJ_obj2txt(id, sizeof id, X509_NAME_ENTRY_get_object(entry), 1);
    if (id != object_id) continue;
    values.push_back(openssl::text_of(X509_NAME_ENTRY_get_data(entry)).value_or(""));
  }
  return values;
}

std::string Certificate::issuer_name() const {
  CertificateIdentity issuer;
  const Result<void> read = openssl::read_subject(X509_get_issuer_name(raw()), issuer);
  return read.ok() ? issuer.common_name : std::string();
}

Result<PublicKey> Certificate::public_key() const {
  std::shared_ptr<evp_pkey_st> key(X509_get_pubkey(raw()), EVP_PKEY_free);
  if (key == nullptr) return openssl::failure("reading the public key of a certificate");
  return PublicKey(std::move(key));
}

bool Certificate::is_authority() const { return X509_check_ca(raw()) != 0; }

bool Certificate::covers(const std::string& name) const {
  const bool found = is_ip_address(name)
                         ? X509_check_ip_asc(raw(), name.c_str(), 0) == 1
                         : X509_check_host(raw(), name.data(), name.size(),
                                           X509_CHECK_FLAG_NO_WILDCARDS, nullptr) == 1;
  ERR_clear_error();
  return found;
}

bool Certificate::is_signed_by(const PublicKey& key) const {
  const bool good = X509_verify(raw(), key.raw()) == 1;
  ERR_clear_error();
  return good;
}

Result<KeyPair> KeyPair::parse(const CertifiedKey& text) {
  Certificate certificate = TRY(Certificate::parse(text.certificate_pem));
  PrivateKey key = TRY(PrivateKey::parse(text.private_key_pem));
  if (X509_check_private_key(certificate.raw(), key.raw()) != 1) {
    return openssl::failure("the private key does not belong to the certificate");
  }
  return KeyPair{std::move(certificate), std::move(key)};
}

}  // namespace proa::crypto
