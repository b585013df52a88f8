#include "crypto/key.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>

#include <algorithm>

#include "base/check.h"
#include "crypto/internal/openssl.h"

namespace proa::crypto {
namespace key {

using openssl::bytes_of;
using openssl::Freed;
using openssl::KeyPointer;
using openssl::NumberPointer;
using BuilderPointer = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using ContextPointer = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using ParametersPointer = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;

struct CurveRow {
  Curve curve;
  std::string_view name;
  std::string_view openssl_name;
  size_t coordinate_size;
};
constexpr CurveRow kCurves[] = {{Curve::kP256, "P-256", "prime256v1", 32},
                                {Curve::kP384, "P-384", "secp384r1", 48},
                                {Curve::kP521, "P-521", "secp521r1", 66}};

const CurveRow& row_of(Curve curve) { return kCurves[static_cast<size_t>(curve)]; }

constexpr int kMinRsaBits = 2048;
constexpr int kMaxRsaBits = 16 * 1024;
constexpr int kMaxExponentBits = 31;

std::shared_ptr<EVP_PKEY> share(KeyPointer key) { return {key.release(), EVP_PKEY_free}; }

Status invalid(std::string_view why) { return {Reason::kInvalid, std::string(why)}; }

Result<PublicKey> make_key(const char* type, OSSL_PARAM_BLD* builder) {
  const ParametersPointer parameters(OSSL_PARAM_BLD_to_param(builder));
  const ContextPointer context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* made = nullptr;
  if (parameters == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
    return openssl::failure("creating a public key");
  }
  return PublicKey(share(KeyPointer(made)));
}

NumberPointer to_number(std::string_view bytes) {
  NumberPointer number(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
  CHECK(number != nullptr);
  return number;
}

// `size`: of the result, padded; zero: as few bytes as possible.
std::string number_of(EVP_PKEY* key, const char* name, size_t size = 0) {
  BIGNUM* found = nullptr;
  CHECK(EVP_PKEY_get_bn_param(key, name, &found) == 1);
  const NumberPointer number(found);
  if (size == 0) size = static_cast<size_t>(BN_num_bytes(found));
  std::string bytes(size, '\0');
  const int written =
      BN_bn2binpad(found, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size));
  CHECK(written == static_cast<int>(size));
  return bytes;
}

std::string checked(std::optional<std::string> text) {
  CHECK(text.has_value());
  return std::move(*text);
}

}  // namespace key

std::string_view curve_name(Curve curve) { return key::row_of(curve).name; }

size_t coordinate_size(Curve curve) { return key::row_of(curve).coordinate_size; }

std::optional<Curve> curve_named(std::string_view name) {
  for (const key::CurveRow& row : key::kCurves) {
    if (row.name == name) return row.curve;
  }
  return std::nullopt;
}

Result<PublicKey> PublicKey::parse(std::string_view pem) {
  const auto bio = openssl::reading(pem);
  key::KeyPointer read(PEM_read_bio_PUBKEY(bio.get(), nullptr, openssl::no_passphrase, nullptr));
  if (read == nullptr) return openssl::failure("reading a public key");
  ERR_clear_error();
  return PublicKey(key::share(std::move(read)));
}

Result<PublicKey> PublicKey::of(const RsaNumbers& numbers) {
  using namespace key;
  constexpr size_t kMaxBytes = kMaxRsaBits / 8;
  if (numbers.modulus.size() > kMaxBytes || numbers.exponent.size() > kMaxBytes) {
    return invalid("its numbers are too large");
  }
  const NumberPointer modulus = to_number(numbers.modulus);
  const NumberPointer exponent = to_number(numbers.exponent);
  const int bits = BN_num_bits(modulus.get());
  if (bits < kMinRsaBits || bits > kMaxRsaBits || BN_is_odd(modulus.get()) == 0) {
    return invalid("its modulus is even or does not have 2048 to 16384 bits");
  }
  if (BN_num_bits(exponent.get()) > kMaxExponentBits || BN_is_odd(exponent.get()) == 0 ||
      BN_is_one(exponent.get()) == 1) {
    return invalid("its exponent is too large, even, or one");
  }
  const BuilderPointer builder(OSSL_PARAM_BLD_new());
  CHECK(builder != nullptr);
  CHECK(OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) == 1);
  CHECK(OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()) == 1);
  return make_key("RSA", builder.get());
}

Result<PublicKey> PublicKey::of(const CurvePoint& point) {
  using namespace key;
  const CurveRow& row = row_of(point.curve);
  if (point.x.size() != row.coordinate_size || point.y.size() != row.coordinate_size) {
    return invalid("its coordinates do not have the size of the curve");
  }
  const std::string uncompressed = "\x04" + point.x + point.y;
  const std::string name(row.openssl_name);
  const BuilderPointer builder(OSSL_PARAM_BLD_new());
  CHECK(builder != nullptr);
  CHECK(OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, name.c_str(),
                                        0) == 1);
  CHECK(OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY,
                                         uncompressed.data(), uncompressed.size()) == 1);
  return make_key("EC", builder.get());  // checks that the point is on the curve
}

std::string PublicKey::pem() const {
  return key::checked(openssl::written([&](BIO* bio) { return PEM_write_bio_PUBKEY(bio, raw()); }));
}

std::string PublicKey::der() const { return key::checked(openssl::to_der(i2d_PUBKEY, raw())); }

bool PublicKey::is_rsa() const { return EVP_PKEY_get_base_id(raw()) == EVP_PKEY_RSA; }

int PublicKey::bits() const { return EVP_PKEY_get_bits(raw()); }

std::optional<Curve> PublicKey::curve() const {
  if (EVP_PKEY_get_base_id(raw()) != EVP_PKEY_EC) return std::nullopt;
  char name[64] = "";
  size_t size = 0;
  if (EVP_PKEY_get_group_name(raw(), name, sizeof name, &size) != 1) {
    ERR_clear_error();  // a key with curve parameters of its own
    return std::nullopt;
  }
  for (const key::CurveRow& row : key::kCurves) {
    if (row.openssl_name == std::string_view(name, size)) return row.curve;
  }
  return std::nullopt;
}

RsaNumbers PublicKey::rsa_numbers() const {
  return {key::number_of(raw(), OSSL_PKEY_PARAM_RSA_N),
          key::number_of(raw(), OSSL_PKEY_PARAM_RSA_E)};
}

CurvePoint PublicKey::curve_point() const {
  const std::optional<Curve> on = curve();
  CHECK(on.has_value());
  const size_t size = coordinate_size(*on);
  return {*on, key::number_of(raw(), OSSL_PKEY_PARAM_EC_PUB_X, size),
          key::number_of(raw(), OSSL_PKEY_PARAM_EC_PUB_Y, size)};
}

PrivateKey PrivateKey::generate() {
  key::KeyPointer made(EVP_EC_gen("P-256"));
  CHECK(made != nullptr);
  return PrivateKey(key::share(std::move(made)));
}

Result<PrivateKey> PrivateKey::parse(std::string_view pem) {
  const auto bio = openssl::reading(pem);
  key::KeyPointer read(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, openssl::no_passphrase, nullptr));
  if (read == nullptr) return openssl::failure("reading the private key");
  ERR_clear_error();
  return PrivateKey(key::share(std::move(read)));
}

std::string PrivateKey::pem() const {
  return key::checked(openssl::written([&](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, raw(), nullptr, nullptr, 0, nullptr, nullptr);
  }));
}

}  // namespace proa::crypto
