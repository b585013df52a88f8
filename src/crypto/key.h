#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct evp_pkey_st;

namespace proa::crypto {

enum class Curve : uint8_t { kP256, kP384, kP521 };
std::string_view curve_name(Curve curve);  // "P-256", as RFC 7518 writes it
std::optional<Curve> curve_named(std::string_view name);
size_t coordinate_size(Curve curve);  // in bytes

// Numbers of public keys, big-endian, as JSON Web Keys (RFC 7518) have them.
struct RsaNumbers {
  std::string modulus;
  std::string exponent;
};
struct CurvePoint {
  Curve curve = Curve::kP256;
  std::string x;  // coordinate_size(curve) bytes each
  std::string y;
};

// A public key of any kind that OpenSSL reads. Immutable; copies share it; safe on any thread.
class PublicKey {
 public:
  // From PEM. kInvalid if there is none.
  static Result<PublicKey> parse(std::string_view pem);
  // kInvalid unless the modulus is odd and has 2048 to 16384 bits, and the exponent is odd, larger
  // than one and has at most 31 bits, which is Go's limit: large ones make verification slow.
  static Result<PublicKey> of(const RsaNumbers& numbers);
  // kInvalid if the point is not on its curve.
  static Result<PublicKey> of(const CurvePoint& point);
  explicit PublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::string pem() const;
  std::string der() const;  // SubjectPublicKeyInfo

  bool is_rsa() const;
  int bits() const;
  std::optional<Curve> curve() const;  // nullopt: not an ECDSA key, or on another curve
  // REQUIRES: is_rsa().
  RsaNumbers rsa_numbers() const;
  // REQUIRES: curve().
  CurvePoint curve_point() const;

  evp_pkey_st* raw() const { return key_.get(); }

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

// A private key. Immutable; copies share it; safe on any thread.
class PrivateKey {
 public:
  // ECDSA on P-256: quick to make, and its signatures are short.
  static PrivateKey generate();
  // From PEM, not encrypted. kInvalid if there is none.
  static Result<PrivateKey> parse(std::string_view pem);

  std::string pem() const;  // PKCS#8
  PublicKey public_key() const { return PublicKey(key_); }

  evp_pkey_st* raw() const { return key_.get(); }

 private:
  explicit PrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace proa::crypto
