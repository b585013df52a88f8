#pragma once

#include <string>

#include "base/result.h"

namespace proa::kubelet {

// Removes a folder or file with all that is in it, however deep pods made it. Never over links,
// never into what is mounted: that is a failure, and stays. What is not there is fine.
Result<void> remove_tree(const std::string& path);

}  // namespace proa::kubelet
