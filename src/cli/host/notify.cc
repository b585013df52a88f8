#include "cli/host/notify.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/files.h"
#include "base/log.h"

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

void notify_own_service_manager(std::string_view state) {
  const Result<void> notified =
      notify_service_manager([](const char* name) { return std::getenv(name); }, state);
  if (notified.ok()) return;
  const Log log("cli");
  log.warn("notifying the service manager failed", {{"error", notified.status()}});
}

}  // namespace proa::cli
