#include "cli/host/notify.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/files.h"

namespace proa::cli {

Result<void> notify_service_manager(const Environment& environment, std::string_view state) {
  const char* path = environment("NOTIFY_SOCKET");
  if (path == nullptr || *path == '\0') return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t size = std::strlen(path);
  if ((*path != '/' && *path != '@') || size >= sizeof address.sun_path) {
    return Status(Reason::kBadRequest,
                  "NOTIFY_SOCKET is not a socket address: " + std::string(path));
  }
  std::memcpy(address.sun_path, path, size);
  if (*path == '@') address.sun_path[0] = '\0';  // abstract socket names begin with a zero byte

  const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return errno_status("socket", errno);
  const auto address_size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size);
  const ssize_t sent = sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), address_size);
  if (sent != static_cast<ssize_t>(state.size()))
    return errno_status("notifying " + std::string(path), errno);
  return {};
}

}  // namespace proa::cli
