#pragma once

#include <functional>

#include "http/client/client.h"
#include "http/server/exchange.h"

namespace proa::http {

// How a request is forwarded. All functions are called on the loop's thread.
struct ForwardOptions {
  // The response if the backend cannot be reached, or switches protocols unasked. REQUIRES: set.
  std::function<Response(const Status&)> failed = {};
  // Called exactly once, with the status of the response.
  std::function<void(int status)> answered = {};
  // Edits the response head before it is sent, also that of an upgrade.
  std::function<void(ResponseHead&)> edit = {};
  // Returns how the body of that response is rewritten as it passes; null: not at all. Called after
  // `edit`; a rewritten body has no length in advance.
  using Rewrite = std::function<std::string(std::string_view part, bool end)>;
  std::function<Rewrite(const ResponseHead&)> rewrite = {};
  // If set: a response other than 200 to 206 is buffered, up to a limit, and replaced by the
  // result. Not for upgrades.
  std::function<Response(const Response&)> replace = {};
  Duration upgrade_timeout = std::chrono::seconds(30);
  // How long request and response may take together; zero: as long as they want. Afterwards the
  // client gets what `failed` makes of kTimeout, or, if the response has begun, an aborted one. Not
  // for upgrades.
  Duration timeout = Duration::zero();
};

// The end-to-end fields of a message: without hop-by-hop fields (RFC 9110, 7.6.1) and those that
// Connection names.
Headers end_to_end(const Headers& headers);

// Whether it requests an upgrade to WebSocket or SPDY/3.1. Other upgrades are ignored, which HTTP
// allows: over h2c, for example, a client could continue with requests that were never authorized.
bool wants_upgrade(const RequestHead& head);

// Forwards a request and its response, streaming both bodies with flow control. `request` has the
// destination, target and fields; method and body are those of the exchange. Redirects are
// responses like others. If the client disconnects, the request is cancelled. REQUIRES: on the
// exchange's loop, which is one of the client's; the client outlives it.
void forward(const ExchangePtr& exchange, Client& client, ClientRequest request,
             ForwardOptions options);

// The same for an upgrade request: once the backend has switched, bytes are copied both ways until
// one side ends. The connection carries only this request; if the backend does not switch, the
// connection is closed, and an error response is passed on. REQUIRES: as above, and
// wants_upgrade(). The connections end with the client.
void forward_upgrade(const ExchangePtr& exchange, Client& client, ClientRequest request,
                     ForwardOptions options);

}  // namespace proa::http
