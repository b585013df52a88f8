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

// Counts connections, in total and by address; refuses those beyond the limits. Thread-safe.
class ConnectionCount {
 public:
  bool try_add(const std::string& address, const ServerLimits& limits) EXCLUDES(mutex_);
  void remove(const std::string& address) EXCLUDES(mutex_);
  size_t total() const EXCLUDES(mutex_);
  // Waits until there are none; false if the timeout passes first.
  bool wait_for_none(Duration timeout) EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  size_t total_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, size_t> by_address_ GUARDED_BY(mutex_);
};

// An HTTP server: listens, spreads connections over the loops, drains them. Thread-safe, but not on
// a loop's thread.
class Server {
 public:
  // REQUIRES: loops and handler outlive the server.
  Server(LoopGroup& loops, Handler& handler, ServerLimits limits = {});
  // Closes everything immediately; call drain() before for a graceful end.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens at `where`, with TLS if `tls` is given (it must outlive the server). Returns the actual
  // address, with the port that the system chose.
  Result<Endpoint> listen(const Endpoint& where, const TlsSource* tls = nullptr);
  size_t connections() const { return count_.total(); }

  // Accepts no new connections or requests, and lets pending ones finish within the limit's time.
  void drain();

 private:
  // The connections of one loop; used on its thread only.
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
