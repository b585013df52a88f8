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

// Server: the fields of the 101 response. The first of the client's subprotocols that is in
// `supported` is selected; a client that offers only others is refused.
struct WebSocketAgreement {
  Headers headers;
  std::string protocol;  // empty: none was requested
};
Result<WebSocketAgreement> accept_websocket(const RequestHead& request,
                                            std::span<const std::string_view> supported);

// Client: adds the handshake's fields to `request`; returns the key to verify the response with.
std::string ask_for_websocket(RequestHead& request, std::span<const std::string_view> protocols,
                              Random& random);
// The subprotocol that the server selected.
Result<std::string> check_websocket_answer(const ResponseHead& response, std::string_view key);

}  // namespace proa::http
