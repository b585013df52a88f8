#pragma once

#include <sys/socket.h>

#include <optional>

#include "base/files.h"
#include "base/net/ip_address.h"
#include "base/result.h"

namespace proa::dns {

// An address and port as the system's calls want it.
struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};
SocketAddress socket_address(const IpAddress& address, uint16_t port);
// Nullopt if it is of another family, or null.
std::optional<IpAddress> address_of(const sockaddr* address);

// Bound to exactly that address. A failure says who may have the port.
// Several UDP sockets share a port: the kernel spreads clients over them.
Result<FileDescriptor> open_udp(const IpAddress& address, uint16_t port);
Result<FileDescriptor> open_tcp(const IpAddress& address, uint16_t port);
// The port of a socket: for those that were bound to port 0.
uint16_t port_of(const FileDescriptor& socket);

// Ends a wait of another thread.
class WakeUp {
 public:
  WakeUp();
  void wake();
  void clear();
  int descriptor() const { return event_.get(); }

 private:
  FileDescriptor event_;
};

}  // namespace proa::dns
