#pragma once

#include "apiserver/request/request.h"
#include "http/wire/message.h"

namespace proa::apiserver {

// Replaces the fields by which an extension API server learns who asks: X-Remote-User,
// X-Remote-Uid, X-Remote-Group and X-Remote-Extra-*. Those that the client sent are removed,
// whatever they say.
void set_identity(http::Headers& headers, const User& user);

// Whether fields can say who that is. Blanks at the ends of a value are dropped by whoever receives
// it, so that " admin" would be admin there.
bool can_be_named(const User& user);

// Removes from a response what an extension server may not say in the name of this one: fields that
// concern the whole host (cookies, other addresses, transport security), CORS, and identities.
void remove_foreign_claims(http::Headers& headers);

// As whom this server itself asks extension servers: for discovery, and for OpenAPI documents.
const User& aggregator_user();
const User& openapi_user();

}  // namespace proa::apiserver
