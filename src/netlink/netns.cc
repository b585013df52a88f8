#include "netlink/netns.h"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>
#include <optional>
#include <thread>

namespace proa::netlink {
namespace netns {

constexpr const char* kThisThread = "/proc/thread-self/ns/net";

Status failure(const std::string& what, int error) {
  if (error == EPERM) {
    return {Reason::kForbidden, what + ": not permitted; it takes the capability CAP_SYS_ADMIN"};
  }
  if (error == ENOENT) return {Reason::kNotFound, what + ": not found"};
  return errno_status(what, error);
}

Result<FileDescriptor> open_file(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return failure("network namespace " + path, errno);
  return file;
}

// On a thread of its own, since a thread that has left its namespace may not be able to return.
Result<void> on_thread(const std::function<Result<void>()>& work) {
  std::optional<Result<void>> result;
  std::thread([&] { result = work(); }).join();
  return *result;
}

}  // namespace netns

Result<NetworkNamespace> NetworkNamespace::create() {
  FileDescriptor file;
  const auto made = netns::on_thread([&]() -> Result<void> {
    if (::unshare(CLONE_NEWNET) != 0) return netns::failure("new network namespace", errno);
    file = TRY(netns::open_file(netns::kThisThread));
    return {};
  });
  if (!made.ok()) return made.status();
  return NetworkNamespace(std::move(file));
}

Result<NetworkNamespace> NetworkNamespace::current() { return open(netns::kThisThread); }

Result<NetworkNamespace> NetworkNamespace::open(const std::string& path) {
  return NetworkNamespace(TRY(netns::open_file(path)));
}

Result<void> NetworkNamespace::run(const std::function<Result<void>()>& work) const {
  return netns::on_thread([&]() -> Result<void> {
    if (::setns(file_.get(), CLONE_NEWNET) != 0) {
      return netns::failure("entering a network namespace", errno);
    }
    return work();
  });
}

}  // namespace proa::netlink
