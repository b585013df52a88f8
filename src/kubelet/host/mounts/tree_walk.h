#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "base/result.h"

namespace proa::kubelet {

// An entry of a walk: `name` in the folder that `folder` is a descriptor of.
struct TreeEntry {
  int folder = -1;
  const char* name = nullptr;
  struct stat info = {};  // of a link itself, not its target
};

// Visits everything below a folder, folders before their content, without the folder itself. Does
// not follow links or enter mounts. Entries that vanish meanwhile are skipped. Paths longer than
// 4096 bytes are a failure. Memory: the folders still to be visited.
Result<void> walk_tree(int folder, const std::function<Result<void>(const TreeEntry&)>& visit);

// The disk usage of a folder, each file counted once, as `du` computes it.
Result<int64_t> disk_usage(const std::string& folder);

}  // namespace proa::kubelet
