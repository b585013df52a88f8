#include "testkit/crypto/test_certificate.h"

#include "base/check.h"
#include "crypto/internal/openssl.h"

namespace proa::crypto {

Certificate make_test_certificate(const CertifiedKey& authority,
                                  const std::vector<std::pair<std::string, std::string>>& subject,
                                  Time now) {
  const KeyPair signer = KeyPair::parse(authority).value();
  const openssl::CertificatePointer made(X509_new());
  X509* certificate = made.get();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 7);
  X509_set1_notBefore(certificate, openssl::to_asn1(now - std::chrono::minutes(1)).get());
  X509_set1_notAfter(certificate, openssl::to_asn1(now + std::chrono::hours(1)).get());
  X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate.raw()));
  for (const auto& [name, value] : subject) {
    ASN1_OBJECT* id = OBJ_txt2obj(name.c_str(), 0);
    CHECK(X509_NAME_add_entry_by_OBJ(X509_get_subject_name(certificate), id, MBSTRING_UTF8,
                                     openssl::bytes_of(value), static_cast<int>(value.size()), -1,
                                     0) == 1);
    ASN1_OBJECT_free(id);
  }
  X509_set_pubkey(certificate, signer.key.raw());
  CHECK(X509_sign(certificate, signer.key.raw(), EVP_sha256()) > 0);
  return Certificate::parse_der(openssl::to_der(i2d_X509, certificate).value()).value();
}

std::string subject_text(const Certificate& certificate) {
  return openssl::written([&](BIO* bio) {
           X509_NAME_print_ex(bio, X509_get_subject_name(certificate.raw()), 0,
                              ASN1_STRFLGS_ESC_CTRL | XN_FLAG_SEP_COMMA_PLUS | XN_FLAG_FN_SN);
           return 1;
         })
      .value();
}

std::string extension_text(const Certificate& certificate, const char* name) {
  const int at = X509_get_ext_by_NID(certificate.raw(), OBJ_sn2nid(name), -1);
  if (at < 0) return "";
  X509_EXTENSION* extension = X509_get_ext(certificate.raw(), at);
  const std::string text =
      openssl::written([&](BIO* bio) { return X509V3_EXT_print(bio, extension, 0, 0); }).value();
  return (X509_EXTENSION_get_critical(extension) == 1 ? "critical " : "") + text;
}

std::string serial_number(const Certificate& certificate) {
  return openssl::written([&](BIO* bio) {
           return i2a_ASN1_INTEGER(bio, X509_get0_serialNumber(certificate.raw())) > 0 ? 1 : 0;
         })
      .value();
}

}  // namespace proa::crypto
