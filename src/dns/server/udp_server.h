#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "dns/server/access.h"
#include "dns/server/handler.h"
#include "dns/server/sockets.h"

namespace proa::dns {

// Answers datagrams at some addresses, by threads that share the port: the kernel gives each client
// to one of them. Many packets are received and sent by one call.
class UdpServer {
 public:
  struct Context {
    Handler& handler;
    Access& access;
    ServerStatistics& statistics;
    std::vector<IpAddress> addresses;
    uint16_t port = 53;
    size_t threads = 1;
  };
  // Listens. REQUIRES: the context's references outlive it.
  static Result<std::unique_ptr<UdpServer>> start(Context context);
  // Stops the threads.
  ~UdpServer();
  UdpServer(const UdpServer&) = delete;
  UdpServer& operator=(const UdpServer&) = delete;

  // Of the first address; for servers on port 0.
  uint16_t port() const { return port_; }

 private:
  // Shared with answers that come later than the server ends.
  using Socket = std::shared_ptr<FileDescriptor>;
  class Worker;

  explicit UdpServer(Context context) : context_(std::move(context)) {}
  Result<void> open();

  const Context context_;
  uint16_t port_ = 0;
  WakeUp stop_;
  std::vector<std::vector<Socket>> sockets_;  // of each thread
  std::vector<std::jthread> threads_;
};

}  // namespace proa::dns
