#pragma once

#include "base/random.h"
#include "http/forward/forward.h"

namespace proa::apiserver {

// Sends the body of a kubelet's response over a WebSocket: for logs. An empty message comes first,
// then messages of up to 2048 bytes: binary, or as text in base64 with the subprotocol
// base64.binary.k8s.io. What the client sends is ignored. A response other than 200 to 206 is not
// sent over the socket: `options` say how it is answered, as for forward(). REQUIRES: on the
// exchange's loop, which is one of the client's; the client and `random` outlive it.
void send_log_messages(const http::ExchangePtr& exchange, http::Client& client,
                       http::ClientRequest request, http::ForwardOptions options, Random& random);

}  // namespace proa::apiserver
