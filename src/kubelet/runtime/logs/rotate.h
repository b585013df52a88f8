#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/threads/deadline.h"

namespace proa::kubelet {

// The log of a running container.
struct ContainerLog {
  std::string container_id = {};
  std::string path = {};  // below the folder of all logs: "shop_web_UID/main/0.log"
};

// Rotates logs that are too large, as upstream's kubelet does: "0.log" becomes
// "0.log.20260102-150405", older ones are compressed to ".gz", the oldest removed. Called
// periodically for every running container; a small log costs one stat. From any thread that may
// block; for one log at a time.
class LogRotation {
 public:
  struct Policy {
    int64_t max_bytes = 10 * 1024 * 1024;
    int max_files = 5;  // the one that is written to among them
  };
  // Runtime::reopen_log.
  using Reopen = std::function<Result<void>(const std::string& container_id, const Until& until)>;

  // Everything outlives it. `root`: the folder of all logs.
  LogRotation(Clock& clock, Files& files, Reopen reopen, std::string root, Policy policy)
      : clock_(clock),
        files_(files),
        reopen_(std::move(reopen)),
        root_(std::move(root)),
        policy_(policy) {}

  // Returns whether it was rotated. A log that was removed is created again.
  Result<bool> rotate(const ContainerLog& log, const Until& until);

 private:
  Result<void> move_away(const ContainerLog& log, const FileDescriptor& folder,
                         const std::string& name, const Until& until);

  Clock& clock_;
  Files& files_;
  const Reopen reopen_;
  const std::string root_;
  const Policy policy_;
};

}  // namespace proa::kubelet
