#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "crypto/key.h"
#include "crypto/signature.h"

namespace proa::apiserver {

// A key pair as PEM text.
struct TokenKeyText {
  std::string private_key;
  std::string public_key;
};

// ECDSA on P-256: fast to generate, with short signatures.
TokenKeyText make_token_key();

// A key that signs and verifies tokens. It has exactly one algorithm: a token cannot choose how it
// is verified. Immutable, thread-safe.
class TokenKey {
 public:
  // Reads a PEM private key, or a public key that only verifies: RSA of at least 2048 bits, or
  // ECDSA on P-256, P-384 or P-521. Otherwise fails with kInvalid.
  static Result<std::unique_ptr<const TokenKey>> read(std::string_view pem);
  TokenKey(const TokenKey&) = delete;
  TokenKey& operator=(const TokenKey&) = delete;

  std::string_view algorithm() const { return crypto::algorithm_name(algorithm_); }  // "ES256"
  // The hash of the public key.
  const std::string& id() const { return id_; }
  bool can_sign() const { return private_key_.has_value(); }
  const crypto::PublicKey& public_key() const { return public_key_; }

  // As RFC 7518 section 3 encodes signatures. REQUIRES: can_sign().
  Result<std::string> sign(std::string_view text) const;
  bool verify(std::string_view text, std::string_view signature) const;

 private:
  TokenKey(std::optional<crypto::PrivateKey> private_key, crypto::PublicKey public_key,
           crypto::SignatureAlgorithm algorithm);

  const std::optional<crypto::PrivateKey> private_key_;
  const crypto::PublicKey public_key_;
  const crypto::SignatureAlgorithm algorithm_;
  const std::string id_;
};

}  // namespace proa::apiserver
