#pragma once

#include <string_view>

#include "crypto/internal/openssl.h"

namespace proa::crypto {

// "P-256", "secp256k1", "RSA-1024", "Ed25519".
openssl::KeyPointer make_openssl_key(std::string_view kind);

}  // namespace proa::crypto
