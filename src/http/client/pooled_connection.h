#pragma once

#include <memory>
#include <string>

#include "http/client/call.h"
#include "http/net/socket.h"
#include "http/wire/http1_parser.h"
#include "http/wire/http2_session.h"

namespace proa::http {

class PooledConnection;

// The owner of connections: the pool. Loop thread only.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  // The connection can accept a call again.
  virtual void on_room(PooledConnection& connection) = 0;
  // The connection is closed, and its calls have failed or were passed to start_over. The owner
  // drops it after the current event.
  virtual void on_gone(PooledConnection& connection) = 0;
  // A call that the peer has not started to process: needs another connection.
  virtual void start_over(std::shared_ptr<ClientCall> call) = 0;
};

struct ConnectionOptions {
  Http1Limits http1;
  Http2Limits http2;
  Duration idle_timeout = std::chrono::seconds(90);
  // HTTP/2: after this silence with pending calls, send a ping, and how long to wait for its
  // answer. As client-go does, for watches whose peer disappeared silently.
  Duration ping_after = std::chrono::seconds(30);
  Duration ping_timeout = std::chrono::seconds(15);
};

// An established connection to an origin. Loop thread only.
class PooledConnection : public Carrier, public std::enable_shared_from_this<PooledConnection> {
 public:
  PooledConnection(ConnectionOwner& owner, const Origin& origin, std::unique_ptr<Socket> socket)
      : owner_(owner), origin_(origin), socket_(std::move(socket)) {}

  // Whether start() may be called.
  virtual bool has_room() const = 0;
  virtual bool is_idle() const = 0;
  virtual void start(std::shared_ptr<ClientCall> call) = 0;
  // No new calls; closes after the last one.
  virtual void retire() = 0;
  // Closes now; calls fail with `why`.
  virtual void close(const Status& why) = 0;

  const Origin& origin() const { return origin_; }

 protected:
  Status failure(std::string_view what) const {
    return {Reason::kServiceUnavailable, origin_.str() + ": " + std::string(what)};
  }

  ConnectionOwner& owner_;
  const Origin origin_;
  std::unique_ptr<Socket> socket_;  // null once closed
};

}  // namespace proa::http
