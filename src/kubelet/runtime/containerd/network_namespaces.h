#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::kubelet {

// Removes those network namespaces in a containerd's folder that no pod got as far as to use: a
// containerd that is killed right after it made one has nothing written down about it. They have no
// link but `lo`. How many there were. REQUIRES: that containerd does not run.
Result<size_t> remove_unused_namespaces(Files& files, const std::string& folder);

}  // namespace proa::kubelet
