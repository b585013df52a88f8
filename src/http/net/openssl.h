#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

// OpenSSL's objects with owners, for the few .cc files that talk to it.
namespace proa::http::openssl {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using BioPointer = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using CertificatePointer = std::unique_ptr<X509, Freed<X509_free>>;
using KeyPointer = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using ExtensionPointer = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using TimePointer = std::unique_ptr<ASN1_TIME, Freed<ASN1_TIME_free>>;

// Reads from `text`, which it borrows.
inline BioPointer reading(std::string_view text) {
  return BioPointer(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// OpenSSL's own words for what went wrong last, with its queue emptied.
inline std::string last_error() {
  std::string words = "unknown error";
  if (const unsigned long error = ERR_peek_last_error(); error != 0) {
    const char* reason = ERR_reason_error_string(error);
    if (reason == nullptr) reason = ERR_lib_error_string(error);
    if (reason != nullptr) words = reason;
  }
  ERR_clear_error();
  return words;
}

}  // namespace proa::http::openssl
