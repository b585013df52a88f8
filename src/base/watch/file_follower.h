#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/files.h"
#include "base/result.h"
#include "base/time.h"
#include "base/watch/folder_changes.h"

namespace proa {

// Looks at a file on a thread of its own: at once, whenever something in its folder changes, and
// when the time is over that the last look asked for.
class FileFollower {
 public:
  // Returns how long it takes at most to the next look: changes behind links to other folders are
  // not noticed. It may block, and ends early when it is stopped.
  using Look = std::function<Duration(const std::stop_token& stop)>;

  // Is told why the folder cannot be watched, once for each cause: in start(), or on the thread.
  using Report = std::function<void(const Status& why)>;

  static Result<std::unique_ptr<FileFollower>> start(const std::string& path, Look look,
                                                     Report report);
  // Waits for the look that is going on.
  ~FileFollower();

 private:
  FileFollower(FileDescriptor wake, Result<FolderChanges> changes, Look look, Report report);
  void watch();
  void run(const std::stop_token& stop);

  const FileDescriptor wake_;  // an eventfd: ends the wait of run()
  std::optional<FolderChanges> changes_;
  const Look look_;
  const Report report_;
  std::jthread thread_;
};

}  // namespace proa
