#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/object/view.h"
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

// The key that a token's header names; empty: none, as if it is null. nullopt: it is no text.
std::optional<std::string_view> key_id_of(api::View header);
// Whether a token's header has critical extensions: none are supported.
bool asks_for_extensions(api::View header);

}  // namespace proa::apiserver
