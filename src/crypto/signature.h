#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "crypto/key.h"

// Signatures of tokens, in the notation of RFC 7518 section 3. All algorithms have a private key
// that only the signer knows: neither "none" nor HMACs are among them.
namespace proa::crypto {

enum class SignatureAlgorithm : uint8_t {
  kEs256,
  kEs384,
  kEs512,
  kPs256,
  kPs384,
  kPs512,
  kRs256,
  kRs384,
  kRs512,
};
std::string_view algorithm_name(SignatureAlgorithm algorithm);  // "ES256"
std::optional<SignatureAlgorithm> algorithm_named(std::string_view name);
std::span<const std::string_view> algorithm_names();  // sorted

// Whether keys of this kind make signatures of that algorithm. ECDSA has one curve per algorithm.
bool fits(const PublicKey& key, SignatureAlgorithm algorithm);
// The one that we sign with: RS256 for RSA with at least 2048 bits, or that of the curve.
std::optional<SignatureAlgorithm> preferred_algorithm(const PublicKey& key);

// REQUIRES: fits(key.public_key(), algorithm).
Result<std::string> sign(const PrivateKey& key, SignatureAlgorithm algorithm,
                         std::string_view text);
// False also when the algorithm does not fit the key.
bool verify(const PublicKey& key, SignatureAlgorithm algorithm, std::string_view text,
            std::string_view signature);

}  // namespace proa::crypto
