#include "testkit/crypto/test_request.h"

#include "base/check.h"
#include "base/encoding.h"
#include "crypto/internal/openssl.h"
#include "crypto/pem.h"
#include "testkit/crypto/openssl_key.h"

namespace proa::crypto {
namespace test_request {

void add_names(X509_REQ* request, const std::string& names) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, nullptr, nullptr, request, nullptr, 0);
  const openssl::ExtensionsPointer extensions(sk_X509_EXTENSION_new_null());
  X509_EXTENSION* extension =
      X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, names.c_str());
  CHECK(extension != nullptr);
  sk_X509_EXTENSION_push(extensions.get(), extension);
  CHECK(X509_REQ_add_extensions(request, extensions.get()) == 1);
}

}  // namespace test_request

std::string TestRequest::der() const {
  const openssl::RequestPointer request(X509_REQ_new());
  const openssl::KeyPointer own = make_openssl_key(key);
  X509_NAME* name = X509_REQ_get_subject_name(request.get());
  for (const auto& [field, value] : subject) {
    CHECK(X509_NAME_add_entry_by_txt(name, field.c_str(), V_ASN1_UTF8STRING,
                                     openssl::bytes_of(value), static_cast<int>(value.size()), -1,
                                     0) == 1);
  }
  CHECK(X509_REQ_set_pubkey(request.get(), own.get()) == 1);
  if (!names.empty()) test_request::add_names(request.get(), names);
  const openssl::KeyPointer signer = other_signature ? make_openssl_key(key) : nullptr;
  CHECK(X509_REQ_sign(request.get(), signer != nullptr ? signer.get() : own.get(),
                      key == "Ed25519" ? nullptr : EVP_get_digestbyname(digest)) > 0);
  return openssl::to_der(i2d_X509_REQ, request.get()).value();
}

std::string TestRequest::to_pem(std::string_view der) {
  return "-----BEGIN CERTIFICATE REQUEST-----\n" + to_base64(der) +
         "\n-----END CERTIFICATE REQUEST-----\n";
}

std::string with_good_signature(std::string_view pem) {
  static const openssl::KeyPointer kKey = make_openssl_key("P-256");
  const auto block = next_pem_block(pem);
  if (!block) return {};
  const unsigned char* at = openssl::bytes_of(block->bytes);
  const openssl::RequestPointer request(
      d2i_X509_REQ(nullptr, &at, static_cast<long>(block->bytes.size())));
  std::string der;
  if (request != nullptr && X509_REQ_set_pubkey(request.get(), kKey.get()) == 1 &&
      X509_REQ_sign(request.get(), kKey.get(), EVP_sha256()) > 0) {
    der = openssl::to_der(i2d_X509_REQ, request.get()).value_or("");
  }
  ERR_clear_error();
  return TestRequest::to_pem(der);
}

}  // namespace proa::crypto
