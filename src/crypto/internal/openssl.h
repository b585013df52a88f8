#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

// Owners of OpenSSL objects and conversions, for the .cc files of this room and of http/net.
namespace proa::crypto::openssl {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
inline void free_extensions(STACK_OF(X509_EXTENSION) * extensions) {
  sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
}
using BioPointer = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using CertificatePointer = std::unique_ptr<X509, Freed<X509_free>>;
using ExtensionPointer = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using ExtensionsPointer = std::unique_ptr<STACK_OF(X509_EXTENSION), Freed<free_extensions>>;
using KeyPointer = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using NamesPointer = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;
using NumberPointer = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using RequestPointer = std::unique_ptr<X509_REQ, Freed<X509_REQ_free>>;
using TimePointer = std::unique_ptr<ASN1_TIME, Freed<ASN1_TIME_free>>;

inline const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Reads from `text`, which it borrows.
BioPointer reading(std::string_view text);
// Everything that `write(bio)` puts into memory. REQUIRES: `write` returns 1 on success.
template <typename Write>
std::optional<std::string> written(Write write) {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || write(bio.get()) != 1) return std::nullopt;
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}
// What `encode`, one of OpenSSL's i2d functions, makes of `object`; nullopt on failure.
template <typename Encode, typename T>
std::optional<std::string> to_der(Encode encode, T* object) {
  unsigned char* der = nullptr;
  const int size = encode(object, &der);
  if (size <= 0) return std::nullopt;
  std::string bytes(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return bytes;
}

// OpenSSL's reason of the last failure; empties its error queue.
std::string last_error();
Status failure(std::string_view what, Reason reason = Reason::kInvalid);

// OpenSSL prompts on the terminal for the passphrase of an encrypted key unless it gets this.
int no_passphrase(char* buffer, int size, int writing, void* context);

// The text as UTF-8; nullopt if it is not valid in its declared encoding.
std::optional<std::string> text_of(const ASN1_STRING* string);

// Times outside of Time's range (1677 to 2262) become its ends.
Result<Time> time_of(const ASN1_TIME* time);
TimePointer to_asn1(Time time);

}  // namespace proa::crypto::openssl
