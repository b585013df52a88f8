#pragma once

#include "api/object/view.h"
#include "apiserver/access/authn/jwt/configuration.h"
#include "apiserver/request/request.h"
#include "base/result.h"
#include "base/time.h"

// What the claims of a token mean, whose signature was checked before. All without I/O and clock.

namespace proa::apiserver {

// Whether the token is from this issuer, for one of its audiences, and good now; until when. As
// go-oidc has it: a token must end and may begin, the latter with a minute for clocks that differ.
// kUnauthorized in upstream's words otherwise.
Result<Time> check_claims(api::View claims, const JwtIssuer& issuer, Time now);

// Whom it speaks for; fails also when a claim that the issuer's tokens must have is missing or
// different.
Result<User> user_of(api::View claims, const JwtIssuer& issuer);

}  // namespace proa::apiserver
