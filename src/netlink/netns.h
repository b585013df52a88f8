#pragma once

#include <functional>
#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::netlink {

// A network namespace, kept alive while this is open.
class NetworkNamespace {
 public:
  // A new one, with nothing but a loopback link that is down. kForbidden where that is not
  // permitted.
  static Result<NetworkNamespace> create();
  // That of this thread.
  static Result<NetworkNamespace> current();
  // Of a file such as /run/netns/NAME or /proc/PID/ns/net.
  static Result<NetworkNamespace> open(const std::string& path);

  int descriptor() const { return file_.get(); }

  // Calls `work` on a thread that is in this namespace, and waits for its end. Sockets opened there
  // stay in the namespace. A failure to enter it is returned; then nothing is called.
  Result<void> run(const std::function<Result<void>()>& work) const;

 private:
  explicit NetworkNamespace(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace proa::netlink
