#include "proxy/only_one.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace proa::proxy {
namespace only_one {

// Names that begin with a zero byte are of the network namespace, not of the file system.
constexpr std::string_view kName{"\0proa-proxy", 11};

}  // namespace only_one

Result<OnlyOne> OnlyOne::take() {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return errno_status("opening a socket", errno);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, only_one::kName.data(), only_one::kName.size());
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + only_one::kName.size());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    if (errno == EADDRINUSE) {
      return Status(Reason::kConflict, "another service proxy of Proa runs on this machine");
    }
    return errno_status("binding a socket", errno);
  }
  return OnlyOne(std::move(socket));
}

}  // namespace proa::proxy
