#pragma once

#include <array>
#include <cstdint>

#include "base/random.h"
#include "base/result.h"

namespace proa::crypto {

// Keys of Curve25519, in the bytes that RFC 7748 gives them.
using X25519Key = std::array<uint8_t, 32>;

// A new private key, with the bits set that the curve wants.
X25519Key new_x25519_key(Random& random);
Result<X25519Key> x25519_public_key(const X25519Key& private_key);

}  // namespace proa::crypto
