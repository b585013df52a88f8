#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/watch/folder_changes.h"

namespace proa::dns {

// Notices that the host's resolvers may be others: files come, go or change in the folder of its
// resolv.conf, of the file that this is a link to, or of systemd-resolved's list. Used by one
// thread.
class ResolvConfChanges {
 public:
  // No path: nothing changes.
  explicit ResolvConfChanges(std::string path) : path_(std::move(path)) {}

  // Watches the folders that count now: a link may lead elsewhere than before. False if changes of
  // the file itself would not be noticed, as its folder does not exist yet, or the kernel watches
  // no more folders. To miss nothing, call this before reading the files.
  bool watch();
  // One of them is readable when something has changed. Until the next watch().
  std::vector<int> descriptors() const;
  // Reads the reports, without waiting. True if there were some.
  bool changed();

 private:
  bool watch_folder(const std::string& folder);

  const std::string path_;
  std::map<std::string, FolderChanges> folders_;
  bool open_failed_ = false;  // which was logged
};

}  // namespace proa::dns
