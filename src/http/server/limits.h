#pragma once

#include "base/process/capacity.h"
#include "base/time.h"
#include "http/budgets/body_budget.h"
#include "http/budgets/head_budget.h"
#include "http/wire/http1_parser.h"
#include "http/wire/http2_session.h"

namespace proa::http {

// Limits for peers. Each bounds memory or time: the worst case is their product.
struct ServerLimits {
  Http1Limits http1;
  // The initial window of a body is small: only those that are being read get more.
  Http2Limits http2 = {.stream_window = 64 * 1024};
  // At these numbers, a new connection takes the place of one that is not in use: silent ones
  // first, then those idle for longest, then one that has had unread responses for `stalled_time`:
  // the smallest response could keep a place for hours. If there is none, it is refused.
  size_t connections = 20'000;
  size_t connections_per_address = 2'000;
  Duration stalled_time = std::chrono::seconds(5);
  // Connections that have not sent a request yet: handshakes take memory and time.
  size_t silent_connections = 4'096;
  // One that has not sent a byte for this long makes room before handshakes in progress.
  Duration silent_time = std::chrono::milliseconds(50);
  size_t body_bytes = 3 * 1024 * 1024;  // as upstream's limit on request bodies
  BodyLimits bodies;
  HeadLimits heads;
  // A connection that has not sent a whole request head (or finished its handshake) by then is
  // closed.
  Duration handshake_timeout = std::chrono::seconds(10);
  Duration head_timeout = std::chrono::seconds(10);
  // A body that is buffered must bring `body_progress` bytes, or its end, within each of these
  // times; a streamed one any bytes. Nothing else that the peer sends extends it.
  Duration body_timeout = std::chrono::seconds(30);
  size_t body_progress = 256 * 1024;
  // Between two requests.
  Duration idle_timeout = std::chrono::seconds(180);
  // How long the kernel may accept nothing: the peer does not read.
  Duration write_timeout = std::chrono::seconds(30);
  // Streaming responses are aborted if the peer is this far behind.
  size_t unsent_bytes = 4 * 1024 * 1024;
  // Unsent bytes of all streams of an HTTP/2 connection: beyond, streams without progress are
  // reset.
  size_t unsent_per_connection = 32 * 1024 * 1024;
  // Unsent bytes of all connections: beyond, the slowest are dropped.
  size_t unsent_total = 128 * 1024 * 1024;
  // Buffered body bytes of an HTTP/1 request that nobody reads; beyond, flow control stops the
  // peer.
  size_t unread_bytes = 64 * 1024;
  // Responses of at least this size are compressed for clients that accept it, as upstream does.
  size_t gzip_bytes = 128 * 1024;
  // How long a draining server waits for pending requests.
  Duration drain_timeout = std::chrono::seconds(30);
};

// The default limits, as far as the process can afford them. `share`: the part of the process's
// descriptors and memory that the server may use, of 8.
ServerLimits limits_for(const Capacity& capacity, size_t share = 8);

// How many connections to others the process may have open besides.
size_t outgoing_connections_for(const Capacity& capacity);

}  // namespace proa::http
