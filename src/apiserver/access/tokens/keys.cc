#include "apiserver/access/tokens/keys.h"

#include "base/check.h"
#include "base/encoding.h"
#include "crypto/digest.h"

namespace proa::apiserver {

TokenKeyText make_token_key() {
  const crypto::PrivateKey key = crypto::PrivateKey::generate();
  return {.private_key = key.pem(), .public_key = key.public_key().pem()};
}

TokenKey::TokenKey(std::optional<crypto::PrivateKey> private_key, crypto::PublicKey public_key,
                   crypto::SignatureAlgorithm algorithm)
    : private_key_(std::move(private_key)),
      public_key_(std::move(public_key)),
      algorithm_(algorithm),
      id_(to_base64_url(crypto::sha256(public_key_.der()).view())) {}

Result<std::unique_ptr<const TokenKey>> TokenKey::read(std::string_view pem) {
  std::optional<crypto::PrivateKey> private_key;
  std::optional<crypto::PublicKey> public_key;
  if (Result<crypto::PrivateKey> read = crypto::PrivateKey::parse(pem); read.ok()) {
    private_key = std::move(*read);
    public_key = private_key->public_key();
  } else {
    Result<crypto::PublicKey> other = crypto::PublicKey::parse(pem);
    if (!other) return other.status().in("no PEM private or public key found");
    public_key = std::move(*other);
  }
  const auto algorithm = crypto::preferred_algorithm(*public_key);
  if (!algorithm) {
    return Status(
        Reason::kInvalid,
        "unsupported key type; use RSA with at least 2048 bits, or ECDSA on P-256, P-384 or "
        "P-521");
  }
  return std::unique_ptr<const TokenKey>(
      new TokenKey(std::move(private_key), std::move(*public_key), *algorithm));
}

Result<std::string> TokenKey::sign(std::string_view text) const {
  CHECK(can_sign());
  return crypto::sign(*private_key_, algorithm_, text);
}

bool TokenKey::verify(std::string_view text, std::string_view signature) const {
  return crypto::verify(public_key_, algorithm_, text, signature);
}

}  // namespace proa::apiserver
