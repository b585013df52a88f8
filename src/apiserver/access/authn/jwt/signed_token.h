#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/access/authn/jwt/json_web_keys.h"
#include "base/result.h"
#include "json/value.h"

// JSON Web Tokens in compact form (RFC 7515): header.claims.signature, each in base64url. The
// content is untrusted until the signature is verified.

namespace proa::apiserver {

struct UntrustedToken {
  json::Document claims;
  std::string issuer;
};

// Parses the claims and the issuer; nullopt if it is not such a token.
std::optional<UntrustedToken> read_untrusted(std::string_view token);

// Parses the signature; `text` points into `token`. REQUIRES: read_untrusted() succeeded. Fails
// with kUnauthorized if the signature is malformed or the header has critical extensions.
Result<TokenSignature> read_signature(std::string_view token);

}  // namespace proa::apiserver
