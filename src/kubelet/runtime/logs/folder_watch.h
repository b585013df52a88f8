#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/files.h"
#include "base/threads/deadline.h"

namespace proa::kubelet {

// Waits for changes of files in one folder. For one thread, except wake().
class FolderWatch {
 public:
  // What happened to the file of that name since the last call.
  struct News {
    bool changed = false;  // anything at all
    bool closed = false;   // by its writer
  };

  // `folder` is open. The clock outlives it.
  static Result<FolderWatch> open(const FileDescriptor& folder, Clock& clock);

  // Nullopt if `until` is over or wake() is called first.
  Result<News> wait(std::string_view file, const Until& until);
  // Ends the current wait, or the next one. From any thread.
  void wake() const;

 private:
  FolderWatch(FileDescriptor events, FileDescriptor wakes, Clock& clock)
      : events_(std::move(events)), wakes_(std::move(wakes)), clock_(&clock) {}
  Result<News> read(std::string_view file) const;

  FileDescriptor events_;  // inotify
  FileDescriptor wakes_;   // eventfd
  Clock* clock_;
};

}  // namespace proa::kubelet
