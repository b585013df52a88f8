#include "base/process/namespace_claim.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/check.h"

namespace proa {

Result<std::optional<NamespaceClaim>> NamespaceClaim::take(std::string_view name) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return errno_status("opening a socket", errno);
  sockaddr_un address{};
  CHECK(name.size() < sizeof address.sun_path);
  address.sun_family = AF_UNIX;
  // Names that begin with a zero byte are of the network namespace, not of the file system.
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    if (errno == EADDRINUSE) return std::optional<NamespaceClaim>();
    return errno_status("binding a socket", errno);
  }
  return std::optional(NamespaceClaim(std::move(socket)));
}

}  // namespace proa
