#include "dns/server/sockets.h"

#include <netinet/in.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace proa::dns {
namespace sockets {

// For bursts: a few thousand queries while the threads do something else.
constexpr int kReceiveBuffer = 1 << 20;
constexpr int kBacklog = 256;

Result<void> set_option(int socket, int level, int option, int value, std::string_view what) {
  if (setsockopt(socket, level, option, &value, sizeof value) == 0) return {};
  return errno_status(what, errno);
}

Result<FileDescriptor> open_bound(const IpAddress& address, uint16_t port, int type) {
  const bool v4 = address.is_v4();
  FileDescriptor socket(::socket(v4 ? AF_INET : AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return errno_status("opening a socket for DNS failed", errno);
  if (!v4) TRY(set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1, "IPV6_V6ONLY"));
  if (type == SOCK_STREAM) {
    TRY(set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR"));
  } else {
    TRY(set_option(socket.get(), SOL_SOCKET, SO_REUSEPORT, 1, "SO_REUSEPORT"));
    TRY(set_option(socket.get(), v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_PKTINFO : IPV6_RECVPKTINFO,
                   1, "IP_PKTINFO"));
    // Less is granted where the system allows less.
    static_cast<void>(set_option(socket.get(), SOL_SOCKET, SO_RCVBUF, kReceiveBuffer, "SO_RCVBUF"));
  }
  const SocketAddress wanted = socket_address(address, port);
  if (bind(socket.get(), wanted.get(), wanted.size) == 0) return socket;
  const int error = errno;
  const std::string where = address.str() + " port " + std::to_string(port);
  if (error == EADDRINUSE) {
    return Status(Reason::kConflict,
                  "another program has " + where + (type == SOCK_STREAM ? " (TCP)" : " (UDP)") +
                      ", or that port on all addresses; end it, or let it listen at the addresses "
                      "that it needs (dnsmasq: bind-interfaces)");
  }
  return errno_status("listening at " + where + " failed", error);
}

}  // namespace sockets

SocketAddress socket_address(const IpAddress& address, uint16_t port) {
  SocketAddress result;
  if (address.is_v4()) {
    sockaddr_in v4 = {};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, address.bytes.data() + 12, sizeof v4.sin_addr);
    std::memcpy(&result.storage, &v4, sizeof v4);
    result.size = sizeof v4;
    return result;
  }
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  std::memcpy(&v6.sin6_addr, address.bytes.data(), sizeof v6.sin6_addr);
  std::memcpy(&result.storage, &v6, sizeof v6);
  result.size = sizeof v6;
  return result;
}

std::optional<IpAddress> address_of(const sockaddr* address) {
  if (address == nullptr) return std::nullopt;
  if (address->sa_family == AF_INET) {
    IpAddress result{.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};
    std::memcpy(result.bytes.data() + 12, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr,
                4);
    return result;
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  IpAddress result;
  std::memcpy(result.bytes.data(), &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr,
              result.bytes.size());
  return result;
}

Result<FileDescriptor> open_udp(const IpAddress& address, uint16_t port) {
  return sockets::open_bound(address, port, SOCK_DGRAM);
}

Result<FileDescriptor> open_tcp(const IpAddress& address, uint16_t port) {
  FileDescriptor socket = TRY(sockets::open_bound(address, port, SOCK_STREAM));
  if (listen(socket.get(), sockets::kBacklog) != 0) {
    return errno_status("listening for DNS over TCP failed", errno);
  }
  return socket;
}

uint16_t port_of(const FileDescriptor& socket) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof storage;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&storage), &size) != 0) return 0;
  if (storage.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
}

WakeUp::WakeUp() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { CHECK(event_.valid()); }

void WakeUp::wake() {
  const uint64_t one = 1;
  // Full means that a wake-up is on its way already.
  static_cast<void>(write(event_.get(), &one, sizeof one) == sizeof one);
}

void WakeUp::clear() {
  uint64_t count = 0;
  static_cast<void>(read(event_.get(), &count, sizeof count) == sizeof count);
}

}  // namespace proa::dns
