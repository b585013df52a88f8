#pragma once

#include "api/object/view.h"
#include "apiserver/access/authn/jwt/configuration.h"
#include "apiserver/request/request.h"
#include "base/result.h"
#include "base/time.h"

// Evaluates the claims of a token whose signature has been verified. No I/O, no clock.

namespace proa::apiserver {

// Checks issuer, audience and validity period; returns the expiry time. As in go-oidc, `exp` is
// required and `nbf` is optional with one minute of leeway for clock skew. Otherwise fails with
// kUnauthorized and upstream's message.
Result<Time> check_claims(api::View claims, const JwtIssuer& issuer, Time now);

// Returns the token's user. Fails if a required claim of the issuer is missing or has another
// value.
Result<User> user_of(api::View claims, const JwtIssuer& issuer);

}  // namespace proa::apiserver
