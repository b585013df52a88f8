#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "http/client/blocking_call.h"
#include "http/client/call.h"
#include "http/client/pool.h"
#include "http/client/request.h"
#include "http/client/upgrade.h"
#include "http/net/loop.h"
#include "http/net/tunnels.h"

namespace proa::http {

struct ClientOptions {
  PoolOptions pool;
  size_t body_limit = 64 * 1024 * 1024;  // of a response that send() buffers
};

// An HTTP/1.1 and HTTP/2 client for any number of origins, over connections that calls share.
// Redirects are not followed: they are responses like others. Thread-safe, unless a method says
// otherwise. A call runs on the loop of its caller's thread; callers on other threads get one loop
// per origin, so that they share connections. The loops outlive the client. The destructor, not on
// a loop's thread, fails pending calls, closes the connections and waits for that.
class Client {
 public:
  Client(LoopGroup& loops, Clock& clock, const ClientOptions& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Events may come before this returns, on another thread.
  std::shared_ptr<ClientCall> start(ClientRequest request, std::shared_ptr<CallEvents> events);
  // Requests a protocol upgrade, on that loop; the request has an Upgrade field.
  void upgrade(Loop& loop, ClientRequest request, Duration timeout, UpgradeDone done,
               UpgradeRefused refused = nullptr);

  // The whole response, whatever its status code. Not on a loop's thread.
  Result<Response> send(const ClientRequest& request, const Until& until);
  // Not on a loop's thread.
  std::unique_ptr<BlockingCall> open(ClientRequest request);
  // The whole response of such a call.
  Result<Response> gather(BlockingCall& call, const Until& until) const;

  // For new connections; existing ones finish their calls.
  void set_tls(const ClientTls& tls);
  // The number of open connections. Not on a loop's thread.
  size_t connections();
  Clock& clock() { return clock_; }
  // For spliced connections of upgrade(): they end with the client.
  Tunnels& tunnels() { return tunnels_; }

 private:
  // The index of this thread's loop, or of the origin's.
  size_t choose(const Origin& origin) const;
  bool in_loop() const;

  LoopGroup& loops_;
  Clock& clock_;
  const size_t body_limit_;
  Tunnels tunnels_;
  std::vector<std::unique_ptr<Pool>> pools_;  // one per loop, used on its thread only
};

}  // namespace proa::http
