#include "apiserver/access/authn/jwt/json_web_keys.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/encoding.h"
#include "http/net/openssl.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace json_web_keys {

using api::View;
using http::openssl::Freed;
using http::openssl::KeyPointer;

using NumberPointer = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using BuilderPointer = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using ParametersPointer = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using ContextPointer = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestPointer = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using EcdsaPointer = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

constexpr int kLeastRsaBits = 2048;
constexpr int kMostRsaBits = 16 * 1024;
// Go's limit: signatures of keys with large exponents take long to check.
constexpr int kMostExponentBits = 31;
// A token that names no key is tried with all of them.
constexpr size_t kMostKeys = 256;
constexpr size_t kMostNumberBytes = 4096;

enum class Family : uint8_t { kEcdsa, kPss, kPkcs1 };

struct Algorithm {
  std::string_view name;
  Family family;
  const EVP_MD* (*digest)();
  std::string_view curve = "";  // of ECDSA, as keys name it
  size_t half = 0;              // bytes of each of the two numbers of its signatures
};

constexpr std::array<Algorithm, 9> kAlgorithms{{
    {"ES256", Family::kEcdsa, EVP_sha256, "P-256", 32},
    {"ES384", Family::kEcdsa, EVP_sha384, "P-384", 48},
    {"ES512", Family::kEcdsa, EVP_sha512, "P-521", 66},
    {"PS256", Family::kPss, EVP_sha256},
    {"PS384", Family::kPss, EVP_sha384},
    {"PS512", Family::kPss, EVP_sha512},
    {"RS256", Family::kPkcs1, EVP_sha256},
    {"RS384", Family::kPkcs1, EVP_sha384},
    {"RS512", Family::kPkcs1, EVP_sha512},
}};

const Algorithm* algorithm_named(std::string_view name) {
  const auto found = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                                  [&](const Algorithm& one) { return one.name == name; });
  return found == kAlgorithms.end() ? nullptr : &*found;
}

Status useless(std::string_view why) { return {Reason::kInvalid, std::string(why)}; }

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Bytes in base64url; some write the padding that does not belong there.
Result<std::string> number(View key, std::string_view name) {
  std::string_view text = key[name].text();
  while (text.ends_with('=')) text.remove_suffix(1);
  const std::optional<std::string> bytes = from_base64_url(text);
  if (!bytes || bytes->empty() || bytes->size() > kMostNumberBytes) {
    return useless("it has no number " + std::string(name));
  }
  return *bytes;
}

Result<KeyPointer> make_key(const char* type, OSSL_PARAM_BLD* builder) {
  const ParametersPointer parameters(OSSL_PARAM_BLD_to_param(builder));
  const ContextPointer context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  const bool made =
      parameters != nullptr && context != nullptr && EVP_PKEY_fromdata_init(context.get()) == 1 &&
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) == 1;
  if (!made) return useless(http::openssl::last_error());
  return KeyPointer(key);
}

Result<KeyPointer> read_rsa(View written) {
  const std::string modulus_bytes = TRY(number(written, "n"));
  const std::string exponent_bytes = TRY(number(written, "e"));
  const auto to_number = [](const std::string& bytes) {
    return NumberPointer(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
  };
  const NumberPointer modulus = to_number(modulus_bytes);
  const NumberPointer exponent = to_number(exponent_bytes);
  CHECK(modulus != nullptr && exponent != nullptr);
  const int bits = BN_num_bits(modulus.get());
  if (bits < kLeastRsaBits || bits > kMostRsaBits || BN_is_odd(modulus.get()) == 0) {
    return useless("its modulus has not 2048 to 16384 bits, or is even");
  }
  if (BN_num_bits(exponent.get()) > kMostExponentBits || BN_is_odd(exponent.get()) == 0 ||
      BN_is_one(exponent.get()) == 1) {
    return useless("its exponent is too large, even, or one");
  }
  const BuilderPointer builder(OSSL_PARAM_BLD_new());
  CHECK(builder != nullptr);
  CHECK(OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) == 1);
  CHECK(OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()) == 1);
  return make_key("RSA", builder.get());
}

Result<KeyPointer> read_ecdsa(View written) {
  const std::string_view curve = written["crv"].text();
  const auto found = std::find_if(kAlgorithms.begin(), kAlgorithms.end(), [&](const Algorithm& a) {
    return !curve.empty() && a.curve == curve;
  });
  if (found == kAlgorithms.end()) return useless("its curve is none of P-256, P-384 and P-521");
  const std::string x = TRY(number(written, "x"));
  const std::string y = TRY(number(written, "y"));
  if (x.size() != found->half || y.size() != found->half) {
    return useless("its numbers have not the size of the curve");
  }
  const std::string point = "\x04" + x + y;  // uncompressed
  const std::string name(curve);
  const BuilderPointer builder(OSSL_PARAM_BLD_new());
  CHECK(builder != nullptr);
  CHECK(OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, name.c_str(),
                                        0) == 1);
  CHECK(OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                         point.size()) == 1);
  return make_key("EC", builder.get());  // which looks whether the point is on the curve
}

// Whether a key of that kind can have made signatures of that algorithm.
bool fits(EVP_PKEY* key, const Algorithm& algorithm) {
  if (algorithm.family != Family::kEcdsa) return EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA;
  if (EVP_PKEY_get_base_id(key) != EVP_PKEY_EC) return false;
  // One curve for each algorithm (RFC 7518 section 3.4), and their sizes differ.
  return (static_cast<size_t>(EVP_PKEY_get_bits(key)) + 7) / 8 == algorithm.half;
}

// OpenSSL wants an ECDSA signature as DER; tokens have the bare numbers one behind the other.
// Nullopt where it is no signature.
std::optional<std::string> to_der(std::string_view numbers, size_t half) {
  if (numbers.size() != 2 * half) return std::nullopt;
  const EcdsaPointer pair(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(bytes_of(numbers), static_cast<int>(half), nullptr);
  BIGNUM* s = BN_bin2bn(bytes_of(numbers) + half, static_cast<int>(half), nullptr);
  CHECK(pair != nullptr && r != nullptr && s != nullptr);
  CHECK(ECDSA_SIG_set0(pair.get(), r, s) == 1);  // owns both from here on
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  CHECK(size > 0);
  std::string out(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return out;
}

bool use_padding(EVP_PKEY_CTX* context, Family family) {
  if (family != Family::kPss) return true;  // what OpenSSL does without being told
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_AUTO) == 1;
}

bool verify(EVP_PKEY* key, const Algorithm& algorithm, std::string_view text,
            std::string_view signature) {
  const DigestPointer context(EVP_MD_CTX_new());
  CHECK(context != nullptr);
  EVP_PKEY_CTX* settings = nullptr;  // the context's own
  const bool good =
      EVP_DigestVerifyInit(context.get(), &settings, algorithm.digest(), nullptr, key) == 1 &&
      use_padding(settings, algorithm.family) &&
      EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text),
                       text.size()) == 1;
  ERR_clear_error();
  return good;
}

}  // namespace json_web_keys

std::span<const std::string_view> signature_algorithms() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, json_web_keys::kAlgorithms.size()> names{};
    for (size_t i = 0; i < names.size(); ++i) names[i] = json_web_keys::kAlgorithms[i].name;
    return names;
  }();
  return kNames;
}

Result<JsonWebKey> JsonWebKey::read(api::View written) {
  using namespace json_web_keys;
  if (written["d"].exists()) return useless("it is a private key, which anybody could have read");
  if (written["use"].text("sig") != "sig") return useless("it is not for signatures");
  const std::string_view type = written["kty"].text();
  if (type != "RSA" && type != "EC") return useless("it is neither RSA nor EC");
  KeyPointer key = TRY(type == "RSA" ? read_rsa(written) : read_ecdsa(written));
  JsonWebKey read;
  read.id_ = written["kid"].text();
  read.algorithm_ = written["alg"].text();
  if (!read.algorithm_.empty()) {
    const Algorithm* algorithm = algorithm_named(read.algorithm_);
    if (algorithm == nullptr || !fits(key.get(), *algorithm)) {
      return useless("it is for an algorithm that it does not fit");
    }
  }
  read.key_ = std::shared_ptr<EVP_PKEY>(key.release(), EVP_PKEY_free);
  return read;
}

bool JsonWebKey::verify(const TokenSignature& signature) const {
  using namespace json_web_keys;
  const Algorithm* algorithm = algorithm_named(signature.algorithm);
  if (algorithm == nullptr || !fits(key_.get(), *algorithm)) return false;
  if (!algorithm_.empty() && algorithm_ != signature.algorithm) return false;
  if (algorithm->family != Family::kEcdsa) {
    return json_web_keys::verify(key_.get(), *algorithm, signature.text, signature.bytes);
  }
  const std::optional<std::string> der = to_der(signature.bytes, algorithm->half);
  return der && json_web_keys::verify(key_.get(), *algorithm, signature.text, *der);
}

Result<JsonWebKeys> JsonWebKeys::parse(std::string_view document) {
  const json::Document parsed = TRY(json::parse(document));
  const api::View keys = api::View(parsed.root())["keys"];
  if (!keys.is(json::Kind::kArray)) return json_web_keys::useless("it has no list of keys");
  if (keys.size() > json_web_keys::kMostKeys) return json_web_keys::useless("it has too many keys");
  JsonWebKeys read;
  for (const api::View written : keys.items()) {
    Result<JsonWebKey> key = JsonWebKey::read(written);
    if (key.ok()) read.keys_.push_back(std::move(*key));
  }
  return read;
}

bool JsonWebKeys::has(std::string_view id) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const JsonWebKey& key) { return key.id() == id; });
}

bool JsonWebKeys::verify(const TokenSignature& signature) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const JsonWebKey& key) {
    return (signature.key_id.empty() || key.id() == signature.key_id) && key.verify(signature);
  });
}

}  // namespace proa::apiserver
