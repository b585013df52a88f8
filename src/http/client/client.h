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
  size_t body_limit = 64 * 1024 * 1024;  // of an answer that send() gathers
};

// Talks HTTP/1.1 and HTTP/2 to any number of origins, over connections that calls share. Redirects
// are never followed: they are answers like others. From any thread, unless a method says
// otherwise.
//
// A call goes on the loop that its caller runs on; callers on other threads get one loop an origin,
// so that they share connections. The loops outlive the client. Destruction, not on a loop's
// thread, fails the calls under way, closes the connections and waits until all that is done.
class Client {
 public:
  Client(LoopGroup& loops, Clock& clock, const ClientOptions& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The events may begin before this returns, on another thread.
  std::shared_ptr<ClientCall> start(ClientRequest request, std::shared_ptr<CallEvents> events);
  // Asks to switch protocols, on that loop; the request has an Upgrade field.
  void upgrade(Loop& loop, ClientRequest request, Duration timeout, UpgradeDone done,
               UpgradeRefused refused = nullptr);

  // The whole answer, whatever its status code. Not on a loop's thread.
  Result<Response> send(const ClientRequest& request, const Until& until);
  // Not on a loop's thread.
  std::unique_ptr<BlockingCall> open(ClientRequest request);

  // New connections use it; old ones finish the calls they have.
  void set_tls(const std::shared_ptr<const TlsContext>& tls);
  // How many connections there are now. Not on a loop's thread.
  size_t connections();
  Clock& clock() { return clock_; }
  // For connections that upgrade() made, when they are tied to others: they end with the client.
  Tunnels& tunnels() { return tunnels_; }

 private:
  // The number of the loop whose thread this is, or of the origin's.
  size_t choose(const Origin& origin) const;
  bool in_loop() const;

  LoopGroup& loops_;
  Clock& clock_;
  const size_t body_limit_;
  Tunnels tunnels_;
  std::vector<std::unique_ptr<Pool>> pools_;  // one a loop, touched on its thread
};

}  // namespace proa::http
