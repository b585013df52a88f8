#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::crypto {

// NaCl's crypto_secretbox: XSalsa20 and Poly1305. OpenSSL has Poly1305, but not Salsa20.

constexpr size_t kSecretboxKeySize = 32;
constexpr size_t kSecretboxNonceSize = 24;
constexpr size_t kSecretboxTagSize = 16;

// Appends the tag and the ciphertext. A nonce is used once for each key. REQUIRES: key and nonce
// have their sizes.
void seal_secretbox(std::string_view key, std::string_view nonce, std::string_view plain,
                    std::string& out);
// Nullopt if it was made with another key or nonce, or was changed. REQUIRES: key and nonce have
// their sizes.
std::optional<std::string> open_secretbox(std::string_view key, std::string_view nonce,
                                          std::string_view sealed);

}  // namespace proa::crypto
