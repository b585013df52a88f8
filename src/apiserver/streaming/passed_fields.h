#pragma once

#include <string_view>

#include "apiserver/streaming/destination.h"
#include "http/server/exchange.h"
#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// The header fields that a request goes on with: the client's, without what let it in here and what
// was about its connection, and with what tells the other side where it came from. A log is asked
// for in our own name, without any of them.
http::Headers passed_fields(const http::RequestHead& head, const http::Peer& peer,
                            const http::Target& target, const Destination& destination);

}  // namespace proa::apiserver
