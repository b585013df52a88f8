#pragma once

#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "netlink/netns.h"

namespace proa::network_bench {

// A server on a port of all addresses of a namespace, which reads what it is sent. Connections
// without data cost it nothing.
class Sink {
 public:
  Sink(const netlink::NetworkNamespace& place, int port);
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

 private:
  void serve() const;

  FileDescriptor listening_;
  std::jthread thread_;
};

// How long it takes to connect, in microseconds: that is the way of the first packet and of its
// answer. To each of the addresses in turn, `count` times in all.
std::vector<double> connect_micros(const netlink::NetworkNamespace& from,
                                   const std::vector<std::string>& addresses, int port,
                                   size_t count);

// Bytes a second of one connection.
double throughput(const netlink::NetworkNamespace& from, const std::string& address, int port,
                  double seconds);

}  // namespace proa::network_bench
