#pragma once

#include <string>

#include "base/result.h"

namespace proa::kubelet {

// Removes a file or a folder with its content, however deep. Does not follow links. Does not enter
// mounts: they stay, and are a failure. A missing path is no failure.
Result<void> remove_tree(const std::string& path);

}  // namespace proa::kubelet
