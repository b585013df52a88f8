#include "crypto/x25519.h"

#include "crypto/internal/openssl.h"

namespace proa::crypto {

X25519Key new_x25519_key(Random& random) {
  X25519Key key;
  random.fill(key);
  key[0] &= 248;
  key[31] = static_cast<uint8_t>((key[31] & 127) | 64);
  return key;
}

Result<X25519Key> x25519_public_key(const X25519Key& private_key) {
  const openssl::KeyPointer key(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_X25519, nullptr, private_key.data(), private_key.size()));
  X25519Key made;
  size_t size = made.size();
  if (key == nullptr || EVP_PKEY_get_raw_public_key(key.get(), made.data(), &size) != 1 ||
      size != made.size()) {
    return openssl::failure("deriving a public key");
  }
  return made;
}

}  // namespace proa::crypto
