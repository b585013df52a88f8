#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "base/result.h"

namespace proa::kubelet {

// What a walk came by: `name` in the folder that `folder` is a descriptor of.
struct TreeEntry {
  int folder = -1;
  const char* name = nullptr;
  struct stat info = {};  // of a link itself, not of what it points to
};

// Visits all that lies below a folder, folders before what is in them; not the folder itself. Never
// over links, never into what is mounted. What goes away meanwhile is passed over. Paths longer
// than the kernel takes (4096 bytes) are a failure. Memory: the folders that wait.
Result<void> walk_tree(int folder, const std::function<Result<void>(const TreeEntry&)>& visit);

// The bytes that lie on the disk below a folder and in it, each file once, however many links it
// has: what `du` says.
Result<int64_t> disk_usage(const std::string& folder);

}  // namespace proa::kubelet
