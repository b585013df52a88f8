#pragma once

#include <poll.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dns/server/access.h"
#include "dns/server/handler.h"
#include "dns/server/sockets.h"

namespace proa::dns {

// Answers queries in TCP connections (RFC 7766): several in one, before the first is answered. One
// thread; connections, their number per client, what waits in them, and their time without a query
// are bounded.
class TcpServer {
 public:
  struct Context {
    Handler& handler;
    Access& access;
    ServerStatistics& statistics;
    Clock& clock;
    std::vector<IpAddress> addresses;
    uint16_t port = 53;
    Duration idle = std::chrono::seconds(10);  // CoreDNS's
    size_t most_connections = 1000;
    size_t most_per_client = 100;
  };
  // Listens. REQUIRES: the context's references outlive it.
  static Result<std::unique_ptr<TcpServer>> start(Context context);
  ~TcpServer();
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  uint16_t port() const { return port_; }
  size_t connections() const { return connection_count_.load(); }

 private:
  struct Connection;
  // Answers that came later, from other threads. Outlives the server while somebody has one.
  struct Outbox {
    Mutex mutex;
    std::vector<std::pair<uint64_t, std::vector<uint8_t>>> answers GUARDED_BY(mutex);
    WakeUp wake;
  };

  explicit TcpServer(Context context);
  void run(const std::stop_token& stop);
  // The descriptors to wait for: those of connections are the last, and have the ids.
  void list_files(std::vector<pollfd>& polled, std::vector<uint64_t>& ids);
  // What poll() said of a connection.
  void serve(uint64_t id, int events);
  void accept_all(const FileDescriptor& listener);
  void deliver();
  // False: the connection has to be closed.
  bool receive(uint64_t id, Connection& connection);
  bool take_queries(uint64_t id, Connection& connection);
  static bool send(Connection& connection);
  void close_idle();
  void close(uint64_t id);
  int wait_time() const;

  const Context context_;
  uint16_t port_ = 0;
  Statistics& statistics_;
  std::vector<FileDescriptor> listeners_;
  const std::shared_ptr<Outbox> outbox_ = std::make_shared<Outbox>();
  // Of the thread.
  std::map<uint64_t, std::unique_ptr<Connection>> connections_;
  std::map<IpAddress, size_t> clients_;
  uint64_t next_id_ = 1;
  size_t most_unsent_ = 0;  // of a connection that asks on
  std::vector<uint8_t> response_;
  std::atomic<size_t> connection_count_ = 0;
  std::jthread thread_;
};

}  // namespace proa::dns
