#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apiserver/access/tokens/keys.h"
#include "base/result.h"
#include "json/value.h"

// JSON Web Tokens in their compact form (RFC 7515): header.claims.signature, each in base64url.

namespace proa::apiserver {

// REQUIRES: the key can sign.
Result<std::string> sign_jwt(const json::Value& claims, const TokenKey& key);

// The claims of a token that one of these keys has signed; what they say is still to be looked at.
// The token says which key it means, and must name the algorithm that this key is used with: "none"
// and MACs with a public key for their secret have no place here. kUnauthorized otherwise.
Result<json::Document> verify_jwt(std::string_view token,
                                  std::span<const std::unique_ptr<const TokenKey>> keys);

}  // namespace proa::apiserver
