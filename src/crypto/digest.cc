#include "crypto/digest.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <cstdint>

#include "base/check.h"
#include "crypto/internal/openssl.h"

namespace proa::crypto {
namespace digest {

// Algorithms are looked up once: OpenSSL's own look-up costs more than hashing a short text.
const EVP_MD* algorithm(const char* name) {
  const EVP_MD* found = EVP_MD_fetch(nullptr, name, nullptr);
  CHECK(found != nullptr);
  return found;
}

const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const kAlgorithm = algorithm("SHA256");
  return kAlgorithm;
}

template <size_t Size>
Digest<Size> hash(const EVP_MD* algorithm, std::string_view bytes) {
  Digest<Size> digest;
  unsigned int size = 0;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.bytes.data(), &size, algorithm, nullptr) ==
            1 &&
        size == Size);
  return digest;
}

EVP_MAC* mac(const char* name) {
  EVP_MAC* found = EVP_MAC_fetch(nullptr, name, nullptr);
  CHECK(found != nullptr);
  return found;
}

template <size_t Size>
Digest<Size> finish_mac(EVP_MAC_CTX* context) {
  Digest<Size> digest;
  size_t size = 0;
  CHECK(EVP_MAC_final(context, digest.bytes.data(), &size, Size) == 1 && size == Size);
  return digest;
}

}  // namespace digest

Sha256Digest sha256(std::string_view bytes) {
  return digest::hash<32>(digest::sha256_algorithm(), bytes);
}

Sha512Digest sha512(std::string_view bytes) {
  static const EVP_MD* const kAlgorithm = digest::algorithm("SHA512");
  return digest::hash<64>(kAlgorithm, bytes);
}

Sha1Digest sha1(std::string_view bytes) {
  static const EVP_MD* const kAlgorithm = digest::algorithm("SHA1");
  return digest::hash<20>(kAlgorithm, bytes);
}

Sha256Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  static EVP_MAC* const kMac = digest::mac("HMAC");
  const std::unique_ptr<EVP_MAC_CTX, openssl::Freed<EVP_MAC_CTX_free>> context(
      EVP_MAC_CTX_new(kMac));
  char name[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                                   OSSL_PARAM_construct_end()};
  // A null key would mean: keep the one that was set before.
  const unsigned char* key_bytes = openssl::bytes_of(key.empty() ? std::string_view("") : key);
  CHECK(context != nullptr && EVP_MAC_init(context.get(), key_bytes, key.size(), parameters) == 1 &&
        EVP_MAC_update(context.get(), openssl::bytes_of(bytes), bytes.size()) == 1);
  return digest::finish_mac<32>(context.get());
}

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  CHECK(context_ != nullptr &&
        EVP_DigestInit_ex(context_.get(), digest::sha256_algorithm(), nullptr) == 1);
}

void Sha256::add(std::string_view bytes) {
  CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

Sha256Digest Sha256::finish() {
  Sha256Digest sum;
  CHECK(EVP_DigestFinal_ex(context_.get(), sum.bytes.data(), nullptr) == 1);
  return sum;
}

void SipHash::Free::operator()(evp_mac_ctx_st* context) const { EVP_MAC_CTX_free(context); }

SipHash::SipHash(const std::array<unsigned char, kKeySize>& key) {
  static EVP_MAC* const kMac = digest::mac("SIPHASH");
  context_.reset(EVP_MAC_CTX_new(kMac));
  size_t size = sizeof(SipDigest::bytes);
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                   OSSL_PARAM_construct_end()};
  CHECK(context_ != nullptr &&
        EVP_MAC_init(context_.get(), key.data(), key.size(), parameters) == 1);
}

SipHash::SipHash(const SipHash& other) : context_(EVP_MAC_CTX_dup(other.context_.get())) {
  CHECK(context_ != nullptr);
}

void SipHash::add(std::string_view part) {
  const uint64_t size = part.size();
  CHECK(EVP_MAC_update(context_.get(), reinterpret_cast<const unsigned char*>(&size),
                       sizeof size) == 1);
  CHECK(EVP_MAC_update(context_.get(), openssl::bytes_of(part), part.size()) == 1);
}

SipDigest SipHash::finish() { return digest::finish_mac<sizeof(SipDigest::bytes)>(context_.get()); }

}  // namespace proa::crypto
