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

// A signature, and what its token says about it.
struct TokenSignature {
  std::string algorithm;
  std::string key_id;  // empty: the token does not say
  std::string_view text;
  std::string bytes;
};

// A public key as RFC 7517 writes it: RSA with at least 2048 bits, or ECDSA on P-256, P-384 or
// P-521. Immutable; for any thread.
class JsonWebKey {
 public:
  // kInvalid for what is no such key, or is not for signatures.
  static Result<JsonWebKey> read(api::View written);

  const std::string& id() const { return id_; }
  bool verify(const TokenSignature& signature) const;

 private:
  explicit JsonWebKey(crypto::PublicKey key) : key_(std::move(key)) {}

  std::string id_;
  std::optional<crypto::SignatureAlgorithm> algorithm_;  // the only one; none: any that fits
  crypto::PublicKey key_;
};

// The keys of an issuer. Immutable; for any thread.
class JsonWebKeys {
 public:
  // {"keys":[...]}. Keys that are of no use here are left out, as RFC 7517 section 5 wants it.
  static Result<JsonWebKeys> parse(std::string_view document);

  bool has(std::string_view id) const;
  // Whether one of them made it: the one that the token names, or any where it names none.
  bool verify(const TokenSignature& signature) const;
  size_t size() const { return keys_.size(); }

 private:
  std::vector<JsonWebKey> keys_;
};

}  // namespace proa::apiserver
