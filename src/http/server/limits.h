#pragma once

#include "base/time.h"
#include "http/wire/http1_parser.h"
#include "http/wire/http2_session.h"

namespace proa::http {

// What a peer may ask of a server before anybody knows who it is. Each bounds memory or time: the
// worst that a stranger can do is these numbers multiplied.
struct ServerLimits {
  Http1Limits http1;
  Http2Limits http2;
  size_t connections = 20'000;
  size_t connections_per_address = 2'000;
  size_t body_bytes = 3 * 1024 * 1024;  // as upstream's limit on request bodies
  // A connection that has sent no whole request head (or not finished its handshake) by then is
  // closed.
  Duration handshake_timeout = std::chrono::seconds(10);
  Duration head_timeout = std::chrono::seconds(10);
  // Between two reads of a request's body.
  Duration body_timeout = std::chrono::seconds(30);
  // Between two requests.
  Duration idle_timeout = std::chrono::seconds(180);
  // For how long the kernel may take none of what we have to send: a reader that does not read.
  Duration write_timeout = std::chrono::seconds(30);
  // Streaming answers that the peer is so far behind with are cut off.
  size_t unsent_bytes = 4 * 1024 * 1024;
  // Request body bytes that may wait for their reader; then the peer is held back.
  size_t unread_bytes = 256 * 1024;
  // Answers at least this large are compressed for those who accept it, as upstream does.
  size_t gzip_bytes = 128 * 1024;
  // How long a draining server waits for requests that are under way.
  Duration drain_timeout = std::chrono::seconds(30);
};

}  // namespace proa::http
