#include "cli/host/notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "base/files.h"

namespace proa::cli {
namespace {

Environment socket_at(const char* path) {
  return [path](const char* name) -> const char* {
    return std::strcmp(name, "NOTIFY_SOCKET") == 0 ? path : nullptr;
  };
}

TEST(NotifyServiceManager, SendsTheStateToTheSocket) {
  const std::string name = "@proa-notify-" + std::to_string(getpid());
  const FileDescriptor receiver(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data() + 1, name.size() - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  ASSERT_EQ(bind(receiver.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);

  ASSERT_TRUE(notify_service_manager(socket_at(name.c_str()), "READY=1").ok());
  char buffer[64];
  const ssize_t count = recv(receiver.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  ASSERT_GT(count, 0);
  EXPECT_EQ(std::string_view(buffer, static_cast<size_t>(count)), "READY=1");
}

TEST(NotifyServiceManager, KeepsSilentWithoutAManager) {
  EXPECT_TRUE(notify_service_manager(socket_at(nullptr), "READY=1").ok());
  EXPECT_TRUE(notify_service_manager(socket_at(""), "READY=1").ok());
}

TEST(NotifyServiceManager, RefusesWhatIsNoSocket) {
  EXPECT_FALSE(notify_service_manager(socket_at("relative"), "READY=1").ok());
  EXPECT_FALSE(notify_service_manager(socket_at("/nowhere/notify"), "READY=1").ok());
  const std::string endless(200, '/');
  EXPECT_FALSE(notify_service_manager(socket_at(endless.c_str()), "READY=1").ok());
}

}  // namespace
}  // namespace proa::cli
