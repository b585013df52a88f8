#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa {

// Notices that files of one folder come, go or change (inotify). Used by one thread at a time.
class FolderChanges {
 public:
  // The folder need not exist.
  static Result<FolderChanges> open(std::string path);

  // Watches the folder, unless it is watched already. False if it does not exist. What else
  // prevents it is a failure the first time, and false as long as it stays the same. To miss
  // nothing, call this before reading the folder.
  Result<bool> watch();
  // Readable when something has changed.
  int descriptor() const { return inotify_.get(); }
  // Reads the reports, without waiting. True if there were some. Files that are being written are
  // reported when they are closed; a folder that went away, or was moved, is no longer watched.
  bool changed();

 private:
  FolderChanges(std::string path, FileDescriptor inotify)
      : path_(std::move(path)), inotify_(std::move(inotify)) {}

  std::string path_;
  FileDescriptor inotify_;
  bool watching_ = false;
  int failure_ = 0;  // the errno that watch() returned last, while it lasts
};

}  // namespace proa
