#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::kubelet {

// Ends those shims of the containerd behind a socket that have nothing to run: a containerd that is
// killed while it starts a pod leaves one behind, which the next one does not end. How many there
// were. REQUIRES: that containerd does not run.
Result<size_t> end_empty_shims(Files& files, const std::string& socket);

}  // namespace proa::kubelet
