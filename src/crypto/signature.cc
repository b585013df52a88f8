#include "crypto/signature.h"

#include <openssl/ecdsa.h>
#include <openssl/rsa.h>

#include <array>

#include "base/check.h"
#include "crypto/internal/openssl.h"

namespace proa::crypto {
namespace signature {

using openssl::bytes_of;
using openssl::Freed;
using DigestPointer = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using EcdsaPointer = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

constexpr int kMinRsaBits = 2048;

enum class Family : uint8_t { kEcdsa, kPss, kPkcs1 };

struct Row {
  std::string_view name;
  Family family;
  const EVP_MD* (*digest)();
  std::optional<Curve> curve = std::nullopt;
};

// In the order of SignatureAlgorithm.
constexpr std::array<Row, 9> kRows{{
    {"ES256", Family::kEcdsa, EVP_sha256, Curve::kP256},
    {"ES384", Family::kEcdsa, EVP_sha384, Curve::kP384},
    {"ES512", Family::kEcdsa, EVP_sha512, Curve::kP521},
    {"PS256", Family::kPss, EVP_sha256},
    {"PS384", Family::kPss, EVP_sha384},
    {"PS512", Family::kPss, EVP_sha512},
    {"RS256", Family::kPkcs1, EVP_sha256},
    {"RS384", Family::kPkcs1, EVP_sha384},
    {"RS512", Family::kPkcs1, EVP_sha512},
}};

const Row& row_of(SignatureAlgorithm algorithm) { return kRows[static_cast<size_t>(algorithm)]; }

// OpenSSL has an ECDSA signature as DER; tokens have its two numbers one behind the other.
std::string numbers_of(const std::string& der, size_t half) {
  const unsigned char* begin = bytes_of(der);
  const EcdsaPointer pair(d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size())));
  CHECK(pair != nullptr);
  std::string out(2 * half, '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  const int size = static_cast<int>(half);
  CHECK(BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), to, size) == size);
  CHECK(BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), to + half, size) == size);
  return out;
}

// Nullopt if the size is wrong.
std::optional<std::string> der_of(std::string_view numbers, size_t half) {
  if (numbers.size() != 2 * half) return std::nullopt;
  const EcdsaPointer pair(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(bytes_of(numbers), static_cast<int>(half), nullptr);
  BIGNUM* s = BN_bin2bn(bytes_of(numbers) + half, static_cast<int>(half), nullptr);
  CHECK(pair != nullptr && r != nullptr && s != nullptr);
  CHECK(ECDSA_SIG_set0(pair.get(), r, s) == 1);  // takes ownership of both
  std::optional<std::string> der = openssl::to_der(i2d_ECDSA_SIG, pair.get());
  CHECK(der.has_value());
  return der;
}

bool set_padding(EVP_PKEY_CTX* context, Family family, int salt_length) {
  if (family != Family::kPss) return true;  // OpenSSL's default is PKCS #1 v1.5
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, salt_length) == 1;
}

}  // namespace signature

std::string_view algorithm_name(SignatureAlgorithm algorithm) {
  return signature::row_of(algorithm).name;
}

std::optional<SignatureAlgorithm> algorithm_named(std::string_view name) {
  for (size_t i = 0; i < signature::kRows.size(); ++i) {
    if (signature::kRows[i].name == name) return static_cast<SignatureAlgorithm>(i);
  }
  return std::nullopt;
}

std::span<const std::string_view> algorithm_names() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, signature::kRows.size()> names{};
    for (size_t i = 0; i < names.size(); ++i) names[i] = signature::kRows[i].name;
    return names;
  }();
  return kNames;
}

bool fits(const PublicKey& key, SignatureAlgorithm algorithm) {
  const signature::Row& row = signature::row_of(algorithm);
  return row.curve ? key.curve() == row.curve : key.is_rsa();
}

std::optional<SignatureAlgorithm> preferred_algorithm(const PublicKey& key) {
  if (key.is_rsa()) {
    if (key.bits() < signature::kMinRsaBits) return std::nullopt;
    return SignatureAlgorithm::kRs256;
  }
  const std::optional<Curve> curve = key.curve();
  if (!curve) return std::nullopt;
  for (size_t i = 0; i < signature::kRows.size(); ++i) {
    if (signature::kRows[i].curve == curve) return static_cast<SignatureAlgorithm>(i);
  }
  return std::nullopt;
}

Result<std::string> sign(const PrivateKey& key, SignatureAlgorithm algorithm,
                         std::string_view text) {
  using namespace signature;
  CHECK(fits(key.public_key(), algorithm));
  const Row& row = row_of(algorithm);
  const DigestPointer context(EVP_MD_CTX_new());
  CHECK(context != nullptr);
  EVP_PKEY_CTX* settings = nullptr;  // owned by the context
  std::string made(static_cast<size_t>(EVP_PKEY_get_size(key.raw())), '\0');
  size_t size = made.size();
  if (EVP_DigestSignInit(context.get(), &settings, row.digest(), nullptr, key.raw()) != 1 ||
      !set_padding(settings, row.family, RSA_PSS_SALTLEN_DIGEST) ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(made.data()), &size,
                     bytes_of(text), text.size()) != 1) {
    return openssl::failure("signing", Reason::kInternalError);
  }
  made.resize(size);
  return row.curve ? numbers_of(made, coordinate_size(*row.curve)) : made;
}

bool verify(const PublicKey& key, SignatureAlgorithm algorithm, std::string_view text,
            std::string_view signature) {
  using namespace signature;
  if (!fits(key, algorithm)) return false;
  const Row& row = row_of(algorithm);
  const std::optional<std::string> checked =
      row.curve ? der_of(signature, coordinate_size(*row.curve)) : std::string(signature);
  if (!checked) return false;
  const DigestPointer context(EVP_MD_CTX_new());
  CHECK(context != nullptr);
  EVP_PKEY_CTX* settings = nullptr;  // owned by the context
  const bool good =
      EVP_DigestVerifyInit(context.get(), &settings, row.digest(), nullptr, key.raw()) == 1 &&
      set_padding(settings, row.family, RSA_PSS_SALTLEN_AUTO) &&
      EVP_DigestVerify(context.get(), bytes_of(*checked), checked->size(), bytes_of(text),
                       text.size()) == 1;
  ERR_clear_error();
  return good;
}

}  // namespace proa::crypto
