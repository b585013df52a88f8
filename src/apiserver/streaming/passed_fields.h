#pragma once

#include <string_view>

#include "apiserver/streaming/destination.h"
#include "http/server/exchange.h"
#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// The header fields of a forwarded request: the client's, without credentials and hop-by-hop
// fields, and with X-Forwarded fields. Log requests are made in the server's own name and have none
// of them.
http::Headers passed_fields(const http::RequestHead& head, const http::Peer& peer,
                            const http::Target& target, const Destination& destination);

// Says that no cache may share the response of another server, as of all responses of this one.
// What that server says about caching stays behind it, as upstream. Responses to upgrades stay as
// they are.
void keep_from_caches(http::ResponseHead& head);

}  // namespace proa::apiserver
