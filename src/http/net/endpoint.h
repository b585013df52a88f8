#pragma once

#include <sys/socket.h>

#include <string>

#include "base/result.h"

namespace proa::http {

// An address to connect to or to listen on: an IP address and port, or the path of a unix socket.
// Names are resolved once, before (net/resolve.h), so that the checked address is the one connected
// to.
struct Endpoint {
  std::string address;  // "127.0.0.1", "::1"
  int port = 0;
  std::string unix_path;  // not empty: a unix socket
  // To listen on: "0.0.0.0" and "::" are all addresses of both families, not only of their own.
  bool both_families = false;

  std::string str() const;
};

// An endpoint as a kernel structure.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
  int port() const;  // 0 if there is none
};

Result<SocketAddress> to_socket_address(const Endpoint& endpoint);
// The IP address without port, an IPv4 address as such even from an IPv6 socket; empty for others.
std::string address_text(const sockaddr* address);

}  // namespace proa::http
