#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// Held by the one process that runs from a data directory, until it ends, however it ends. The
// kernel knows who holds it: a pid in a file would be wrong after a kill.
class InstanceLock {
 public:
  // kConflict, with the pid, when another process has it. REQUIRES: this process opens that file
  // nowhere else, which would give the lock away.
  static Result<InstanceLock> take(const std::string& path);

 private:
  explicit InstanceLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

// Who holds it; nullopt: nobody.
std::optional<pid_t> lock_holder(const std::string& path);

}  // namespace proa::cli
