#pragma once

#include "base/time.h"
#include "http/wire/http1_parser.h"
#include "http/wire/http2_session.h"

namespace proa::http {

// Limits for peers before authentication. Each bounds memory or time: the worst case is their
// product.
struct ServerLimits {
  Http1Limits http1;
  Http2Limits http2;
  size_t connections = 20'000;
  size_t connections_per_address = 2'000;
  size_t body_bytes = 3 * 1024 * 1024;  // as upstream's limit on request bodies
  // A connection that has not sent a whole request head (or finished its handshake) by then is
  // closed.
  Duration handshake_timeout = std::chrono::seconds(10);
  Duration head_timeout = std::chrono::seconds(10);
  // Between two reads of a request's body.
  Duration body_timeout = std::chrono::seconds(30);
  // Between two requests.
  Duration idle_timeout = std::chrono::seconds(180);
  // How long the kernel may accept nothing: the peer does not read.
  Duration write_timeout = std::chrono::seconds(30);
  // Streaming responses are aborted if the peer is this far behind.
  size_t unsent_bytes = 4 * 1024 * 1024;
  // Buffered request body bytes; beyond, flow control stops the peer.
  size_t unread_bytes = 256 * 1024;
  // Responses of at least this size are compressed for clients that accept it, as upstream does.
  size_t gzip_bytes = 128 * 1024;
  // How long a draining server waits for pending requests.
  Duration drain_timeout = std::chrono::seconds(30);
};

}  // namespace proa::http
