#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/access/authn/jwt/json_web_keys.h"
#include "base/result.h"
#include "json/value.h"

// JSON Web Tokens of other issuers, in their compact form (RFC 7515): header.claims.signature, each
// in base64url. Nothing that is read here may be believed before the signature was checked.

namespace proa::apiserver {

struct UntrustedToken {
  json::Document claims;
  std::string issuer;
};

// What the token says, and who it says has issued it; nullopt where it is no such token.
std::optional<UntrustedToken> read_untrusted(std::string_view token);

// How it is signed; the text points into `token`. REQUIRES: read_untrusted() could read it.
// kUnauthorized for what can't be a signature, or asks for extensions.
Result<TokenSignature> read_signature(std::string_view token);

}  // namespace proa::apiserver
