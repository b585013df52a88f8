#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"
#include "http/wire/message.h"

namespace proa::http {

// The opening handshake of WebSocket (RFC 6455, 4).

bool wants_websocket(const RequestHead& request);

// Server: the fields of the 101 answer. Of the subprotocols that the client names, the first that
// is also in `supported` is agreed on; a client that names only others is refused.
struct WebSocketAgreement {
  Headers headers;
  std::string protocol;  // empty: none was asked for
};
Result<WebSocketAgreement> accept_websocket(const RequestHead& request,
                                            std::span<const std::string_view> supported);

// Client: adds the handshake's fields to `request`; returns the key that the answer is checked
// with.
std::string ask_for_websocket(RequestHead& request, std::span<const std::string_view> protocols,
                              Random& random);
// Which subprotocol the server agreed on.
Result<std::string> check_websocket_answer(const ResponseHead& response, std::string_view key);

}  // namespace proa::http
