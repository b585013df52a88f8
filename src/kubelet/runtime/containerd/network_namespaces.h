#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::kubelet {

// Removes network namespaces in a containerd's folder that no pod uses: a containerd that is killed
// right after it created one has no record of it. They have no link but `lo`. Returns their number.
// REQUIRES: that containerd does not run.
Result<size_t> remove_unused_namespaces(Files& files, const std::string& folder);

}  // namespace proa::kubelet
