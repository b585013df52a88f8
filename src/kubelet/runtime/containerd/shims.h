#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::kubelet {

// The shims of one containerd: they carry its socket among their words.
struct ShimPlace {
  std::string socket = {};
  std::string tasks = {};  // where its bundles are
  // Where shims listen, of whatever containerd.
  std::string shim_sockets = "/run/containerd/s";
};

// Ends those shims that run no container, with whatever they had begun: one whose containerd is
// killed while it makes or removes a pod stays behind, and the next containerd takes it over
// without ever ending it. A container that was made and not yet started is no reason to stay. How
// many there were. REQUIRES: that containerd does not run.
Result<size_t> end_idle_shims(Files& files, const ShimPlace& place);

// Ends those that run no container and whose bundle is gone: containerd has lost track of them, as
// it may when a call to make a pod is called off. How many there were. It may run meanwhile.
Result<size_t> end_lost_shims(Files& files, const ShimPlace& place);

// Where the shim of that bundle ("k8s.io/ID") listens.
std::string shim_socket(const ShimPlace& place, const std::string& bundle);

}  // namespace proa::kubelet
