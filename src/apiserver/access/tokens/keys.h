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

// ECDSA on P-256: made in no time, and its signatures are short.
TokenKeyText make_token_key();

// A key that tokens are signed and checked with. It knows the one algorithm that it is used with: a
// token never says how it wants to be checked. Immutable; for any thread.
class TokenKey {
 public:
  // PEM of a private key, or of a public one that only checks: RSA with at least 2048 bits, or
  // ECDSA on P-256, P-384 or P-521. kInvalid for anything else.
  static Result<std::unique_ptr<const TokenKey>> read(std::string_view pem);
  TokenKey(const TokenKey&) = delete;
  TokenKey& operator=(const TokenKey&) = delete;

  std::string_view algorithm() const { return crypto::algorithm_name(algorithm_); }  // "ES256"
  // Says which key it is, and nothing else about it: the hash of its public part.
  const std::string& id() const { return id_; }
  bool can_sign() const { return private_key_.has_value(); }
  const crypto::PublicKey& public_key() const { return public_key_; }

  // In the notation of RFC 7518 section 3. REQUIRES: can_sign().
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
