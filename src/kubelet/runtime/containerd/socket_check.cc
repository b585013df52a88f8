#include "kubelet/runtime/containerd/socket_check.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "base/files.h"

namespace proa::kubelet {

std::optional<pid_t> who_listens(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  // Without waiting: a listener whose queue is full is as good as none, and asked again.
  const FileDescriptor file(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!file.valid()) return std::nullopt;
  if (connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return std::nullopt;
  }
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(file.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return std::nullopt;
  return peer.pid;
}

}  // namespace proa::kubelet
