#include "cli/host/own_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <optional>

namespace proa::cli {
namespace own_address_search {

std::string text_of(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return text;
}

// Sends nothing: connecting a datagram socket only selects a route.
std::optional<std::string> of_default_route() {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return std::nullopt;
  sockaddr_in far{};
  far.sin_family = AF_INET;
  far.sin_port = htons(9);
  inet_pton(AF_INET, "192.0.2.1", &far.sin_addr);  // reserved for documentation
  sockaddr_in near{};
  socklen_t size = sizeof near;
  const bool found = connect(socket, reinterpret_cast<const sockaddr*>(&far), sizeof far) == 0 &&
                     getsockname(socket, reinterpret_cast<sockaddr*>(&near), &size) == 0;
  close(socket);
  return found ? std::optional(text_of(near)) : std::nullopt;
}

std::optional<std::string> of_any_link() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    const bool usable = one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET &&
                        (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (usable) return text_of(*reinterpret_cast<const sockaddr_in*>(one->ifa_addr));
  }
  return std::nullopt;
}

}  // namespace own_address_search

std::string own_address() {
  const std::optional<std::string> way_out = own_address_search::of_default_route();
  if (way_out) return *way_out;
  return own_address_search::of_any_link().value_or("127.0.0.1");
}

}  // namespace proa::cli
