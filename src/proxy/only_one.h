#pragma once

#include "base/files.h"
#include "base/result.h"

namespace proa::proxy {

// That this is the only proxy in a network namespace: two would remove each other's rules. Held by
// the process, and given back by the kernel when it ends.
class OnlyOne {
 public:
  // In the namespace of the calling thread. kConflict if another one holds it.
  static Result<OnlyOne> take();

 private:
  explicit OnlyOne(FileDescriptor socket) : socket_(std::move(socket)) {}
  FileDescriptor socket_;
};

}  // namespace proa::proxy
