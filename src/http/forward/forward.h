#pragma once

#include <functional>

#include "http/client/client.h"
#include "http/server/exchange.h"

namespace proa::http {

// How a request goes on to another server. All is called on the loop's thread.
struct ForwardOptions {
  // What its client is told when the other server can't be asked, or switches protocols in a way
  // that nobody asked for. REQUIRES: it is set.
  std::function<Response(const Status&)> failed = {};
  // Called once in any case, with the status of the answer.
  std::function<void(int status)> answered = {};
  // Changes the head of the answer before it goes out.
  std::function<void(ResponseHead&)> edit = {};
  // Where set: an answer that is no success (200 to 206) is gathered, as far as it is worth it, and
  // what this makes of it goes out in its place. Not for upgrades.
  std::function<Response(const Response&)> replace = {};
  Duration upgrade_timeout = std::chrono::seconds(30);
};

// The fields of a message that are meant for whoever gets it in the end: without those that are
// about one connection (RFC 9110, 7.6.1), and those that Connection names.
Headers end_to_end(const Headers& headers);

// Whether it asks to switch to WebSocket or SPDY/3.1. Other protocols are asked for in vain, which
// HTTP allows: over h2c, for one, a client could go on with requests that nobody has authorized.
bool wants_upgrade(const RequestHead& head);

// Passes a request on and its answer back, body by body as they come, each side held back by how
// fast the other takes it. `request` says where it goes, with which target and fields; method and
// body are those of the exchange. Redirects are answers like others. A client that goes away calls
// it off. REQUIRES: on the exchange's loop, which is one of the client's; the client outlives it.
void forward(const ExchangePtr& exchange, Client& client, ClientRequest request,
             ForwardOptions options);

// The same for a request that asks to switch protocols: once the other server has switched, bytes
// go both ways until one side ends. The connection carries this one request and nothing else; where
// the other server does not switch, it is closed, and its answer is passed on if it is a failure.
// REQUIRES: as above, and wants_upgrade(). The connections end with the client.
void forward_upgrade(const ExchangePtr& exchange, Client& client, ClientRequest request,
                     ForwardOptions options);

}  // namespace proa::http
