#include "apiserver/access/tokens/keys.h"

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

#include "base/check.h"
#include "base/encoding.h"
#include "http/net/openssl.h"

namespace proa::apiserver {
namespace keys_of_tokens {

using http::openssl::BioPointer;
using http::openssl::Freed;
using http::openssl::KeyPointer;
using http::openssl::last_error;

using DigestPointer = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using SignaturePointer = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

constexpr int kLeastRsaBits = 2048;

struct Algorithm {
  std::string_view name;
  std::string_view curve;  // empty: RSA
  const EVP_MD* (*digest)();
  int half = 0;  // bytes of each of the two numbers of an ECDSA signature
};

constexpr Algorithm kAlgorithms[] = {
    {"RS256", "", EVP_sha256, 0},
    {"ES256", "prime256v1", EVP_sha256, 32},
    {"ES384", "secp384r1", EVP_sha384, 48},
    {"ES512", "secp521r1", EVP_sha512, 66},
};

// Null where there is none for such a key.
const Algorithm* algorithm_of(EVP_PKEY* key) {
  char curve[64] = "";
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC) {
    size_t size = 0;
    if (EVP_PKEY_get_group_name(key, curve, sizeof curve, &size) != 1) return nullptr;
  } else if (EVP_PKEY_get_base_id(key) != EVP_PKEY_RSA || EVP_PKEY_get_bits(key) < kLeastRsaBits) {
    return nullptr;
  }
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.curve == curve) return &algorithm;
  }
  return nullptr;
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// OpenSSL asks for a passphrase on the terminal unless it is told that there is none.
int no_passphrase(char*, int, int, void*) { return 0; }

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

std::string private_text(EVP_PKEY* key) {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  CHECK(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return text_of(bio.get());
}

std::string public_text(EVP_PKEY* key) {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  CHECK(PEM_write_bio_PUBKEY(bio.get(), key) == 1);
  return text_of(bio.get());
}

std::string id_of(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  CHECK(size > 0);
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(der, static_cast<size_t>(size), hash);
  OPENSSL_free(der);
  return to_base64_url({reinterpret_cast<const char*>(hash), sizeof hash});
}

// OpenSSL writes an ECDSA signature as DER, tokens have the bare numbers one behind the other.
std::string from_der(const std::string& der, int half) {
  const unsigned char* begin = bytes_of(der);
  const SignaturePointer pair(d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size())));
  CHECK(pair != nullptr);
  std::string out(2 * static_cast<size_t>(half), '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  CHECK(BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), to, half) == half);
  CHECK(BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), to + half, half) == half);
  return out;
}

std::string to_der(std::string_view numbers, int half) {
  const SignaturePointer pair(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(bytes_of(numbers), half, nullptr);
  BIGNUM* s = BN_bin2bn(bytes_of(numbers) + half, half, nullptr);
  CHECK(pair != nullptr && r != nullptr && s != nullptr);
  CHECK(ECDSA_SIG_set0(pair.get(), r, s) == 1);  // owns both from here on
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  CHECK(size > 0);
  std::string out(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

}  // namespace keys_of_tokens

struct TokenKey::Parts {
  keys_of_tokens::KeyPointer key;
  const keys_of_tokens::Algorithm* algorithm;
  bool is_private;
};

TokenKey::TokenKey(std::unique_ptr<const Parts> parts)
    : parts_(std::move(parts)), id_(keys_of_tokens::id_of(parts_->key.get())) {}
TokenKey::~TokenKey() = default;

Result<TokenKeyText> make_token_key() {
  const keys_of_tokens::KeyPointer key(EVP_EC_gen("P-256"));
  if (key == nullptr) {
    return Status(Reason::kInternalError, "making a key: " + http::openssl::last_error());
  }
  return TokenKeyText{.private_key = keys_of_tokens::private_text(key.get()),
                      .public_key = keys_of_tokens::public_text(key.get())};
}

Result<std::unique_ptr<const TokenKey>> TokenKey::read(std::string_view pem) {
  using namespace keys_of_tokens;
  const auto read_one = [&](auto reader) {
    const BioPointer bio = http::openssl::reading(pem);
    return KeyPointer(reader(bio.get(), nullptr, no_passphrase, nullptr));
  };
  bool is_private = true;
  KeyPointer key = read_one(PEM_read_bio_PrivateKey);
  if (key == nullptr) {
    is_private = false;
    key = read_one(PEM_read_bio_PUBKEY);
  }
  if (key == nullptr) {
    return Status(Reason::kInvalid, "no private or public key in PEM: " + last_error());
  }
  ERR_clear_error();
  const Algorithm* algorithm = algorithm_of(key.get());
  if (algorithm == nullptr) {
    return Status(Reason::kInvalid,
                  "tokens are signed with RSA keys of at least 2048 bits, or with ECDSA keys on "
                  "P-256, P-384 or P-521; this is another one");
  }
  auto parts = std::make_unique<const Parts>(Parts{std::move(key), algorithm, is_private});
  return std::unique_ptr<const TokenKey>(new TokenKey(std::move(parts)));
}

std::string_view TokenKey::algorithm() const { return parts_->algorithm->name; }
bool TokenKey::can_sign() const { return parts_->is_private; }
std::string TokenKey::public_key() const { return keys_of_tokens::public_text(parts_->key.get()); }

Result<std::string> TokenKey::sign(std::string_view text) const {
  using namespace keys_of_tokens;
  CHECK(can_sign());
  const DigestPointer context(EVP_MD_CTX_new());
  size_t size = 0;
  std::string signature;
  const bool sized =
      EVP_DigestSignInit(context.get(), nullptr, parts_->algorithm->digest(), nullptr,
                         parts_->key.get()) == 1 &&
      EVP_DigestSign(context.get(), nullptr, &size, bytes_of(text), text.size()) == 1;
  signature.resize(size);
  auto* out = reinterpret_cast<unsigned char*>(signature.data());
  if (!sized || EVP_DigestSign(context.get(), out, &size, bytes_of(text), text.size()) != 1) {
    return Status(Reason::kInternalError, "signing a token: " + last_error());
  }
  signature.resize(size);
  const int half = parts_->algorithm->half;
  return half == 0 ? signature : from_der(signature, half);
}

bool TokenKey::verify(std::string_view text, std::string_view signature) const {
  using namespace keys_of_tokens;
  const int half = parts_->algorithm->half;
  if (half != 0 && signature.size() != 2 * static_cast<size_t>(half)) return false;
  const std::string checked = half == 0 ? std::string(signature) : to_der(signature, half);
  const DigestPointer context(EVP_MD_CTX_new());
  const bool good = EVP_DigestVerifyInit(context.get(), nullptr, parts_->algorithm->digest(),
                                         nullptr, parts_->key.get()) == 1 &&
                    EVP_DigestVerify(context.get(), bytes_of(checked), checked.size(),
                                     bytes_of(text), text.size()) == 1;
  ERR_clear_error();
  return good;
}

}  // namespace proa::apiserver
