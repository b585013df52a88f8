#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apiserver/access/tokens/keys.h"
#include "base/result.h"
#include "json/value.h"

// JSON Web Tokens in compact form (RFC 7515): header.claims.signature, each in base64url.

namespace proa::apiserver {

// REQUIRES: the key can sign.
Result<std::string> sign_jwt(const json::Value& claims, const TokenKey& key);

// Returns the claims of a token signed by one of these keys; the claims are not checked. The token
// names its key and must state the algorithm of that key, so "none" and MACs keyed with a public
// key are rejected. Otherwise fails with kUnauthorized.
Result<json::Document> verify_jwt(std::string_view token,
                                  std::span<const std::unique_ptr<const TokenKey>> keys);

}  // namespace proa::apiserver
