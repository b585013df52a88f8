#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "base/result.h"
#include "crypto/key.h"
#include "crypto/signature.h"

namespace proa::apiserver {

// A signature to verify.
struct TokenSignature {
  std::string algorithm;
  std::string key_id;  // empty: not given
  std::string_view text;
  std::string bytes;
};

// A public key in RFC 7517 format: RSA of at least 2048 bits, or ECDSA on P-256, P-384 or P-521.
// Immutable, thread-safe.
class JsonWebKey {
 public:
  // Fails with kInvalid for other keys, and for keys not intended for signatures.
  static Result<JsonWebKey> read(api::View written);

  const std::string& id() const { return id_; }
  bool verify(const TokenSignature& signature) const;

 private:
  explicit JsonWebKey(crypto::PublicKey key) : key_(std::move(key)) {}

  std::string id_;
  std::optional<crypto::SignatureAlgorithm> algorithm_;  // nullopt: any that suits the key
  crypto::PublicKey key_;
};

// The keys of an issuer. Immutable, thread-safe.
class JsonWebKeys {
 public:
  // Reads {"keys":[...]}. Unsupported keys are skipped, as RFC 7517 section 5 requires.
  static Result<JsonWebKeys> parse(std::string_view document);

  bool has(std::string_view id) const;
  // Verifies with the key that the token names, or with any key if it names none.
  bool verify(const TokenSignature& signature) const;
  size_t size() const { return keys_.size(); }

 private:
  std::vector<JsonWebKey> keys_;
};

}  // namespace proa::apiserver
