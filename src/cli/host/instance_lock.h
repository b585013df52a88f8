#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// A lock held by the one process that runs from a data directory. The kernel releases it when the
// process exits or is killed, unlike a pid file.
class InstanceLock {
 public:
  // kConflict, with the pid, if another process holds it. REQUIRES: this process does not open that
  // file elsewhere; closing it would release the lock.
  static Result<InstanceLock> take(const std::string& path);

 private:
  explicit InstanceLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

// Of the process that runs from that data directory, as a server, a node or both.
std::string lock_path(const std::string& data_dir);

// The pid of the holder; nullopt if none.
std::optional<pid_t> lock_holder(const std::string& path);

}  // namespace proa::cli
