#include "http/net/endpoint.h"

#include <netinet/in.h>
#include <sys/un.h>
#include <uv.h>

#include <array>
#include <cstring>

namespace proa::http {

std::string Endpoint::str() const {
  if (!unix_path.empty()) return "unix:" + unix_path;
  const bool v6 = address.find(':') != std::string::npos;
  return (v6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

int SocketAddress::port() const {
  if (storage.ss_family == AF_INET)
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
  if (storage.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
  return 0;
}

Result<SocketAddress> to_socket_address(const Endpoint& endpoint) {
  SocketAddress address;
  if (!endpoint.unix_path.empty()) {
    auto* path = reinterpret_cast<sockaddr_un*>(&address.storage);
    if (endpoint.unix_path.size() >= sizeof(path->sun_path)) {
      return Status(Reason::kInvalid, "socket path is too long: " + endpoint.unix_path);
    }
    path->sun_family = AF_UNIX;
    std::memcpy(path->sun_path, endpoint.unix_path.c_str(), endpoint.unix_path.size() + 1);
    address.size = sizeof(sockaddr_un);
  } else if (uv_ip4_addr(endpoint.address.c_str(), endpoint.port,
                         reinterpret_cast<sockaddr_in*>(&address.storage)) == 0) {
    address.size = sizeof(sockaddr_in);
  } else if (uv_ip6_addr(endpoint.address.c_str(), endpoint.port,
                         reinterpret_cast<sockaddr_in6*>(&address.storage)) == 0) {
    address.size = sizeof(sockaddr_in6);
  } else {
    return Status(Reason::kInvalid, "not an IP address: " + endpoint.address);
  }
  return address;
}

std::string address_text(const sockaddr* address) {
  std::array<char, 64> text{};
  if (address->sa_family == AF_INET) {
    uv_ip4_name(reinterpret_cast<const sockaddr_in*>(address), text.data(), text.size());
  } else if (address->sa_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
      uv_inet_ntop(AF_INET, &v6.s6_addr[12], text.data(), text.size());
      return text.data();
    }
    uv_ip6_name(reinterpret_cast<const sockaddr_in6*>(address), text.data(), text.size());
  }
  return text.data();
}

}  // namespace proa::http
