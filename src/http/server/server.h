#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/threads/mutex.h"
#include "http/net/loop.h"
#include "http/net/tls.h"
#include "http/server/connection.h"
#include "http/server/exchange.h"
#include "http/server/limits.h"
#include "http/server/listener.h"

namespace proa::http {

// How many connections there are, in all and by address; refuses what goes beyond the limits. From
// any thread.
class ConnectionCount {
 public:
  bool try_add(const std::string& address, const ServerLimits& limits) EXCLUDES(mutex_);
  void remove(const std::string& address) EXCLUDES(mutex_);
  size_t total() const EXCLUDES(mutex_);
  // Waits until there are none, or the time is up.
  bool wait_for_none(Duration timeout) EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  size_t total_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, size_t> by_address_ GUARDED_BY(mutex_);
};

// An HTTP server: listens, spreads connections over the loops, ends them in order. Its methods may
// be called from any thread that is not a loop's.
class Server {
 public:
  // REQUIRES: loops and handler outlive the server.
  Server(LoopGroup& loops, Handler& handler, ServerLimits limits = {});
  // Closes everything at once; call drain() before for a friendly end.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens at `where`, with TLS when `tls` is given (it must outlive the server). Returns where it
  // listens, which tells the port when none was given.
  Result<Endpoint> listen(const Endpoint& where, const TlsSource* tls = nullptr);
  size_t connections() const { return count_.total(); }

  // Takes no new connections or requests, lets those under way finish, within the limit's time.
  void drain();

 private:
  // The connections of one loop; touched on its thread only.
  struct Lane {
    Loop* loop;
    std::unordered_map<Connection*, std::shared_ptr<Connection>> connections;
  };

  void accepted(int descriptor, const std::string& address, bool is_unix, const TlsSource* tls);
  void adopt(Lane& lane, int descriptor, const std::string& address, bool is_unix,
             const TlsSource* tls);
  void stop_listening();
  void for_each_lane(const std::function<void(Lane&)>& task);

  LoopGroup& loops_;
  Handler& handler_;
  const std::shared_ptr<const ServerLimits> limits_;
  ConnectionCount count_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::atomic<size_t> turn_{0};
  std::atomic<bool> draining_{false};
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace proa::http
